import { numericOptions } from './comparison.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { publishRequest, RPC_LOAD, requestFor } from './rpc.ts';
import { CHANNEL, startMsgRpc } from './servers/msg-rpc.ts';
import { spread } from './statistics.ts';
import { requireFiles } from './storm.ts';

const DEFAULTS = { rounds: 5, connections: 10_000, slice: 2000, 'idle-s': 50 };
const LOAD = new URL('./load/client.ts', import.meta.url);
const RPC_CONNECTIONS = 16;
const ACCESS_LOGS = ['on', 'sampled', 'off'] as const;
/** The default, and so long that none is sent. */
const PINGS = ['25s', '24h'] as const;

/** What two default settings of `msg serve` cost: the access log, and pings to clients that are idle. */
export async function run(args: string[]): Promise<void> {
  const { rounds, connections, slice, 'idle-s': idleS } = numericOptions(args, DEFAULTS);
  requireFiles(connections);
  console.log(`settings: server CPU of a Publish over ${RPC_CONNECTIONS} connections, µs`);
  const logs = await inTurns(ACCESS_LOGS, rounds, mode => publishUs(['--access-log', mode], slice));
  for (const [mode, samples] of logs) console.log(`  access log ${mode}: ${spread(samples, 1)}`);
  console.log(`settings: server CPU of ${connections} idle connections, ms per second over ${idleS} s`);
  const pings = await inTurns(PINGS, rounds, every => idleMs(['--ping-interval', every], connections, idleS));
  for (const [every, samples] of pings) console.log(`  pings every ${every}: ${spread(samples, 1)}`);
}

/** Samples of each value, in turns. */
async function inTurns<Value>(
  values: readonly Value[],
  rounds: number,
  sample: (value: Value) => Promise<number>,
): Promise<ReadonlyMap<Value, readonly number[]>> {
  const samples = new Map(values.map(value => [value, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (const value of round % 2 === 0 ? values : values.toReversed())
      samples.get(value)?.push(await sample(value));
  return samples;
}

async function publishUs(args: readonly string[], ms: number): Promise<number> {
  const { server, token } = await startMsgRpc([], { args });
  const load = await PinnedProcess.start(RPC_LOAD, LOAD_CORE);
  const request = publishRequest(token).toString('base64');
  const connecting = { kind: 'connect', port: server.port, connections: RPC_CONNECTIONS, request } as const;
  try {
    await requestFor(ms / 2, server, load, connecting); // until the code is compiled
    const { cpuUs, answered } = await requestFor(ms, server, load, connecting);
    return cpuUs / answered;
  } finally {
    await Promise.all([load.stop(), server.stop()]);
  }
}

async function idleMs(args: readonly string[], connections: number, seconds: number): Promise<number> {
  const { server } = await startMsgRpc([], { args });
  const load = await PinnedProcess.start(LOAD, LOAD_CORE);
  const subscribing = { encoding: 'json', channels: 1, channel: CHANNEL, delta: false };
  const opening = { port: server.port, count: connections, concurrency: 64, subscribing, stamped: false };
  try {
    await load.ask({ kind: 'open', ...opening });
    const before = server.cpuUs();
    await new Promise(resolve => setTimeout(resolve, seconds * 1000));
    return (server.cpuUs() - before) / 1000 / seconds;
  } finally {
    await load.stop();
    await server.stop('SIGKILL');
  }
}
