import { numericOptions } from './comparison.ts';
import type { Published } from './load/peers-questions.ts';
import { PEERS, type Peer, type RunningPeer } from './peers/table.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { spread } from './statistics.ts';
import { requireFiles } from './storm.ts';

const DEFAULTS = { rounds: 5, subscribers: 1000, connections: 10_000, slice: 3000 };
const LOAD = new URL('./load/peers.ts', import.meta.url);
/** How long a server that lost its connections gets, and one that got them, until its memory is read. */
const SETTLE_MS = 2000;

type Options = Record<keyof typeof DEFAULTS, number>;

/** One round at one server. Each is new. */
interface Sample {
  readonly oneUs: number;
  readonly tenUs: number;
  readonly connectUs: number;
  readonly idleBytes: number;
}

interface Row {
  readonly title: string;
  readonly of: (sample: Sample) => number;
  readonly digits: number;
}

/** The same work by services that a registry serves, beside ours: one server on one core each, the same load program. */
export async function run(args: string[]): Promise<void> {
  const options = numericOptions(args, DEFAULTS);
  requireFiles(options.connections);
  const samples = new Map<Peer, Sample[]>();
  const notRun = new Map<Peer, string>();
  for (let round = 0; round < options.rounds; round++) {
    const order = round % 2 === 0 ? PEERS : [...PEERS].reverse();
    for (const peer of order) {
      if (notRun.has(peer)) continue;
      const running = await started(peer, notRun);
      if (running === undefined) continue;
      samples.set(peer, [...(samples.get(peer) ?? []), await measure(peer, running, options)]);
    }
  }
  printTable(samples, rowsOf(options));
  for (const [{ name }, reason] of notRun) console.log(`${name}: not run: ${reason}`);
}

async function started(peer: Peer, notRun: Map<Peer, string>): Promise<RunningPeer | undefined> {
  if (peer === PEERS[0]) return peer.start();
  try {
    return await peer.start();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    notRun.set(peer, text.trim().split('\n').slice(-3).join(' '));
    return undefined;
  }
}

async function measure({ dialect }: Peer, { server, channel, credential }: RunningPeer, options: Options) {
  const { subscribers, connections, slice } = options;
  const load = await PinnedProcess.start(LOAD, LOAD_CORE);
  const cpuOf = async <Result>(work: () => Promise<Result>): Promise<{ us: number; result: Result }> => {
    const before = server.cpuUs();
    const result = await work();
    return { us: server.cpuUs() - before, result };
  };
  const open = (count: number) =>
    load.ask({ kind: 'open', dialect, credential, port: server.port, channel, count });
  const deliveryUs = async (atOnce: number): Promise<number> => {
    await load.ask({ kind: 'publish', atOnce, ms: slice / 2 }); // until the code is compiled
    const { us, result } = await cpuOf(() => load.ask<Published>({ kind: 'publish', atOnce, ms: slice }));
    return us / result.deliveries;
  };
  try {
    await open(subscribers);
    const oneUs = await deliveryUs(1);
    const tenUs = await deliveryUs(10);
    await pause();
    const before = server.residentBytes();
    const { us } = await cpuOf(() => open(connections));
    await pause();
    const idleBytes = (server.residentBytes() - before) / connections;
    const sample: Sample = { oneUs, tenUs, connectUs: us / connections, idleBytes };
    return sample;
  } finally {
    await Promise.all([load.stop(), server.stop('SIGKILL')]);
  }
}

const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, SETTLE_MS));

function rowsOf({ subscribers, connections }: Options): readonly Row[] {
  const delivery = `delivery of 256 bytes to ${subscribers} subscribers`;
  return [
    { title: `${delivery}, one at a time, server CPU µs`, of: ({ oneUs }) => oneUs, digits: 2 },
    { title: `${delivery}, ten at once, server CPU µs`, of: ({ tenUs }) => tenUs, digits: 2 },
    { title: 'connect and subscribe, server CPU µs', of: ({ connectUs }) => connectUs, digits: 0 },
    {
      title: `an idle subscribed connection of ${connections}, KB`,
      of: ({ idleBytes }) => idleBytes / 1024,
      digits: 1,
    },
  ];
}

function printTable(samples: ReadonlyMap<Peer, readonly Sample[]>, rows: readonly Row[]): void {
  const peers = PEERS.filter(peer => samples.has(peer));
  const line = (cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`);
  line(['median (lowest–highest)', ...peers.map(({ name }) => name)]);
  line(['---', ...peers.map(() => '---')]);
  for (const { title, of, digits } of rows)
    line([title, ...peers.map(peer => spread((samples.get(peer) ?? []).map(of), digits))]);
}
