import { RedisCluster } from './cluster.ts';
import { RedisSentinels } from './sentinel.ts';
import { RedisServer } from './server.ts';

/** Every way in which a store can be laid out. */
export const TOPOLOGIES = ['standalone', 'sentinel', 'cluster'] as const;
export type Topology = (typeof TOPOLOGIES)[number];

/** Memory of one process with two threads: main hands connections over, or the kernel spreads them. */
const THREAD_PLACEMENTS = ['threads', 'threads-reuseport'] as const;
type ThreadPlacement = (typeof THREAD_PLACEMENTS)[number];

/** A running store of any topology; it keeps its data when it crashes. */
export interface RunningStore {
  /** What `--redis-addr` takes. */
  readonly address: string;
  /** Every server that takes writes. */
  readonly masters: readonly RedisServer[];
  /** Kills the servers that take writes. */
  crash(): Promise<void>;
  /** Waits until there is a successor, or starts again what crashed. */
  recover(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts real servers: one; a master with two replicas and three Sentinels; a cluster of three masters. */
export function startTopology(topology: Topology): Promise<RunningStore> {
  return { standalone: startStandalone, sentinel: startSentinels, cluster: startCluster }[topology]();
}

async function startStandalone(): Promise<RunningStore> {
  const server = await RedisServer.start({ persistent: true });
  return {
    address: server.address,
    masters: [server],
    crash: () => server.kill(),
    recover: () => server.restart(),
    stop: () => server.stop(),
  };
}

async function startSentinels(): Promise<RunningStore> {
  const sentinels = await RedisSentinels.start({ persistent: true });
  const { address, master } = sentinels;
  return {
    address,
    masters: [master],
    crash: () => master.kill(),
    recover: async () => void (await sentinels.failedOver(master)),
    stop: () => sentinels.stop(),
  };
}

async function startCluster(): Promise<RunningStore> {
  const cluster = await RedisCluster.start({ persistent: true });
  const { address, nodes } = cluster;
  return {
    address,
    masters: nodes,
    crash: () => cluster.kill(),
    recover: () => cluster.restart(),
    stop: () => cluster.stop(),
  };
}

/** What `MSG_TEST_STORE` may name: processes with several threads on memory, a store, or both. */
export const KINDS_OF_RUN = [...THREAD_PLACEMENTS, ...TOPOLOGIES, 'standalone-threads'] as const;

/** What `MSG_TEST_STORE` names for this test run; null: the suites run on memory with one thread. */
function kindOfRun(): (typeof KINDS_OF_RUN)[number] | null {
  const name = process.env['MSG_TEST_STORE'] || null;
  if (name === null) return null;
  const kind = KINDS_OF_RUN.find(row => row === name);
  if (kind === undefined)
    throw new Error(`MSG_TEST_STORE must be one of ${KINDS_OF_RUN.join(', ')}; got ${name}`);
  return kind;
}

/** The topology of the store of this test run; null: the suites run on memory. */
export function topologyOfRun(): Topology | null {
  const kind = kindOfRun();
  return kind === 'standalone-threads'
    ? 'standalone'
    : (TOPOLOGIES.find(topology => topology === kind) ?? null);
}

/** How connections reach the threads of each service of this test run; null: each has one thread. */
export function threadsOfRun(): ThreadPlacement | null {
  const kind = kindOfRun();
  return kind === 'standalone-threads'
    ? 'threads'
    : (THREAD_PLACEMENTS.find(placement => placement === kind) ?? null);
}

const ADDRESS = 'MSG_TEST_STORE_ADDRESS';

/** Starts the store of this test run, once for all of its files; answers how to stop it. */
export async function startStoreOfRun(topology: Topology): Promise<() => Promise<void>> {
  const store = await startTopology(topology);
  process.env[ADDRESS] = store.address;
  return () => store.stop();
}

/** Where the store of this test run is; null: the suites run on memory. */
export function storeOfRun(): string | null {
  if (topologyOfRun() === null) return null;
  const address = process.env[ADDRESS];
  if (address === undefined) throw new Error('the store of this run was not started');
  return address;
}

/** A key prefix that nothing else on the store uses. */
export function freshPrefix(): string {
  return `t-${crypto.randomUUID()}`;
}
