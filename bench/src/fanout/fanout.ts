import { parseArgs } from 'node:util';
import { PinnedProcess } from '../pinned.ts';
import { median, spread } from '../statistics.ts';
import type { LoadQuestion } from './load-client.ts';
import type { Address, Measurement, Memory, Publishing } from './questions.ts';

const SERVER_CORE = 0;
const CLIENT_CORE = 1;
const ENGINE = new URL('./engine-server.ts', import.meta.url);
const BASELINE = new URL('./raw-server.ts', import.meta.url);
const CLIENT = new URL('./load-client.ts', import.meta.url);

interface Side {
  readonly server: PinnedProcess;
  readonly port: number;
}

/** Fan-out of one channel: CPU per delivery against plain socket writes, then memory per connection. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      subscribers: { type: 'string', default: '1000' },
      pairs: { type: 'string', default: '7' },
      connections: { type: 'string', default: '10000' },
    },
  });
  const subscribers = Number(values.subscribers);
  await measureFanout(subscribers, Number(values.pairs));
  await measureMemory(Number(values.connections));
}

async function measureFanout(subscribers: number, pairs: number): Promise<void> {
  const client = await PinnedProcess.start(CLIENT, CLIENT_CORE);
  const engine = await startSide(ENGINE, client, subscribers, true);
  const baseline = await startSide(BASELINE, client, subscribers, false);
  try {
    const tick = { ticks: 200, periodMs: 15, perTick: 1 };
    await compare('unbatched', client, engine, baseline, subscribers, tick, pairs);
    await compare(
      'ten per tick',
      client,
      engine,
      baseline,
      subscribers,
      { ...tick, ticks: 60, periodMs: 50, perTick: 10 },
      pairs,
    );
  } finally {
    await Promise.all([client.stop(), engine.server.stop(), baseline.server.stop()]);
  }
}

async function startSide(
  module: URL,
  client: PinnedProcess,
  count: number,
  subscribe: boolean,
  flags: readonly string[] = [],
): Promise<Side> {
  const server = await PinnedProcess.start(module, SERVER_CORE, flags);
  const { port } = await server.ask<Address>({ kind: 'address' });
  if (count > 0) await ask(client, { kind: 'open', port, count, subscribe });
  return { server, port };
}

function ask<Answer>(client: PinnedProcess, question: LoadQuestion): Promise<Answer> {
  return client.ask<Answer>(question);
}

/** Measures one side once: CPU microseconds per delivery. Fails when not every byte arrived. */
async function once(
  client: PinnedProcess,
  side: Side,
  subscribers: number,
  plan: Publishing,
): Promise<number> {
  const { cpuUs, bytes } = await side.server.ask<Measurement>({ kind: 'publish', ...plan });
  const arrived = await ask<{ bytes: number }>(client, { kind: 'received', port: side.port, atLeast: bytes });
  if (arrived.bytes < bytes) throw new Error(`sent ${bytes} bytes, ${arrived.bytes} arrived`);
  return cpuUs / (plan.ticks * plan.perTick * subscribers);
}

async function compare(
  name: string,
  client: PinnedProcess,
  engine: Side,
  baseline: Side,
  subscribers: number,
  plan: Publishing,
  pairs: number,
): Promise<void> {
  await once(client, engine, subscribers, plan);
  await once(client, baseline, subscribers, plan);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < pairs; i++) {
    ours.push(await once(client, engine, subscribers, plan));
    theirs.push(await once(client, baseline, subscribers, plan));
  }
  const ratios = ours.map((value, i) => value / (theirs[i] ?? Number.NaN));
  console.log(
    `fan-out, ${subscribers} subscribers, 256-byte JSON, ${name}: engine ${median(ours).toFixed(2)} µs per delivery, ` +
      `plain writes ${median(theirs).toFixed(2)} µs, ratio ${spread(ratios, 2)} over ${pairs} pairs`,
  );
}

async function measureMemory(connections: number): Promise<void> {
  const client = await PinnedProcess.start(CLIENT, CLIENT_CORE);
  const { server, port } = await startSide(ENGINE, client, 0, true, ['--expose-gc']);
  try {
    // The first connections load code and grow pools: they are not what a further connection costs.
    await ask(client, { kind: 'open', port, count: 200, subscribe: true });
    const before = await server.ask<Memory>({ kind: 'memory' });
    await ask(client, { kind: 'open', port, count: connections, subscribe: true });
    const after = await server.ask<Memory>({ kind: 'memory' });
    const perConnection = (after.rss - before.rss) / connections;
    console.log(
      `memory, ${connections} idle subscribed connections: ${(perConnection / 1024).toFixed(1)} KB RSS each (Node ${process.versions.node})`,
    );
  } finally {
    await Promise.all([client.stop(), server.stop()]);
  }
}
