import { systemClock } from '@msg/engine';
import {
  ChannelDirectory,
  connectSharedStore,
  LocalConnections,
  MemoryChannelRegistry,
  RedisChannelRegistry,
} from '@msg/server/internal';
import { RedisServer } from '@msg/testkit/redis';
import { CountedReader, readersNode } from './append-load.ts';
import { measureInTurns } from './comparison.ts';
import { printQuantity } from './report.ts';

/** Listings of a sample. */
const REPEATS = 5;
const PAGE = 50;
/** Channels that are opened at the same time. */
const AT_ONCE = 500;
const PER_LISTING = { name: 'CPU per listing, ms', of: (us: number) => us / 1000, digits: 2 };
const EVERY_CONNECTION = { user: '', client: '', transport: '', address: '', channel: '', minQueueBytes: 0 };

/** Pages of the directory of channels and of the connections against the least that must be read for them. */
export async function measureListings({
  pairs,
  channels,
  rows,
}: {
  readonly pairs: number;
  readonly channels: number;
  readonly rows: number;
}): Promise<void> {
  await compareChannels(pairs, channels, new MemoryChannelRegistry(systemClock), 'in memory');
  await compareChannelsOnRedis(pairs, channels);
  await compareConnections(pairs, rows);
}

type Registry = ConstructorParameters<typeof ChannelDirectory>[0]['registry'] &
  Pick<MemoryChannelRegistry, 'list' | 'openPublic'>;

/** The CPU is that of this process, not of the store. */
async function compareChannelsOnRedis(pairs: number, channels: number): Promise<void> {
  const redis = await RedisServer.start();
  const connection = await connectSharedStore({ address: redis.address, keyPrefix: 'bench' });
  try {
    const { store } = connection;
    const registry = new RedisChannelRegistry({ store, nodeId: 'bench', clock: systemClock });
    await compareChannels(pairs, channels, registry, 'on Redis');
  } finally {
    await connection.close();
    await redis.stop();
  }
}

async function compareChannels(
  pairs: number,
  channels: number,
  registry: Registry,
  where: string,
): Promise<void> {
  for (let begun = 0; begun < channels; begun += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, channels - begun) }, (_, at) => begun + at);
    await Promise.all(names.map(at => registry.openPublic(`public:bench.listing.c${at}`, 86_400_000)));
  }
  const directory = new ChannelDirectory({ registry, clock: systemClock });
  const page = { sort: 'name', descending: false, limit: PAGE } as const;
  const read = () => cpuOf(async () => void (await registry.list()));
  console.log(`a page of ${channels} channels ${where}, against one bare read of the registry`);
  const cold = await measureInTurns(
    pairs,
    () =>
      cpuOf(async () => {
        directory.forget();
        await directory.page(page);
      }),
    read,
  );
  printQuantity(cold, 'read', { ...PER_LISTING, name: `first page, ${PER_LISTING.name}`, wanted: '≤ 1.5' });
  const warm = await measureInTurns(pairs, () => cpuOf(async () => void (await directory.page(page))), read);
  printQuantity(warm, 'read', { ...PER_LISTING, name: `next page, ${PER_LISTING.name}`, wanted: '≤ 0.02' });
  directory.stop();
}

async function compareConnections(pairs: number, rows: number): Promise<void> {
  const node = await readersNode();
  for (let at = 0; at < rows; at++) new CountedReader(node, false);
  await new Promise(resolve => setImmediate(resolve));
  const local = new LocalConnections(() => node, systemClock);
  const query = { ...EVERY_CONNECTION, sort: 'queue_bytes', descending: true, limit: PAGE } as const;
  console.log(`a page of ${rows} connections by queue, against a loop that reads the two members`);
  const measured = await measureInTurns(
    pairs,
    () => cpuOf(async () => requireAll((await local.page(query)).total, rows)),
    () =>
      cpuOf(async () => {
        let read = 0;
        for (const { queueBytes, client } of node.connections.all())
          if (queueBytes >= 0 && client.id !== '') read++;
        requireAll(read, rows);
      }),
  );
  printQuantity(measured, 'loop', { ...PER_LISTING, wanted: '≤ 3' });
  await node.shutdown({ graceMs: 0 });
}

function requireAll(count: number, all: number): void {
  if (count !== all) throw new Error(`${count} of ${all} connections were read`);
}

/** CPU microseconds of one run of the work, over several. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let repeat = 0; repeat < REPEATS; repeat++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REPEATS;
}
