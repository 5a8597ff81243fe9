import { measureInTurns, numericOptions } from './comparison.ts';
import { printQuantity } from './report.ts';
import type { Cpu } from './servers/questions.ts';
import { SERVERS, Side, withSides } from './side.ts';

export const CONNECT_DEFAULTS = { pairs: 5, connections: 8000, concurrency: 64 };
const SUBSCRIBING = { encoding: 'json', channels: 1, delta: false } as const;

interface Sample {
  readonly connections: number;
  readonly cpuUs: number;
  readonly wallMs: number;
}

/**
 * Connecting and subscribing: TCP, upgrade, connect and subscribe in one frame, until the subscribe reply;
 * against a `ws` server that accepts and answers the frame with a ready reply of the same size.
 */
export async function run(args: string[]): Promise<void> {
  const { pairs, connections, concurrency } = numericOptions(args, CONNECT_DEFAULTS);
  await withSides([Side.start(SERVERS.engine), Side.start(SERVERS.bareWs)], async (engine, bare) => {
    const { reply } = await engine.open({ count: 1, subscribing: SUBSCRIBING });
    await bare.server.ask({ kind: 'reply', bytes: reply });
    await engine.ask({ kind: 'reset' });
    const measured = await measureInTurns(
      pairs,
      () => connectAndDrop(engine, connections, concurrency),
      () => connectAndDrop(bare, connections, concurrency),
    );
    console.log(`connect: ${connections} connections, ${concurrency} at a time, connect and subscribe each`);
    printQuantity(measured, 'bare ws', {
      name: 'connections per second of server CPU',
      of: sample => (sample.connections / sample.cpuUs) * 1e6,
      digits: 0,
      wanted: '≥ 0.6',
    });
    printQuantity(measured, 'bare ws', {
      name: 'server CPU per connection, µs',
      of: sample => sample.cpuUs / sample.connections,
      digits: 0,
    });
    printQuantity(measured, 'bare ws', {
      name: 'connections per second',
      of: sample => (sample.connections / sample.wallMs) * 1000,
      digits: 0,
    });
  });
}

/** Opens the connections, measured, and drops them, unmeasured. */
export async function connectAndDrop(
  side: Side,
  connections = CONNECT_DEFAULTS.connections,
  concurrency = CONNECT_DEFAULTS.concurrency,
): Promise<Sample> {
  const before = await side.server.ask<Cpu>({ kind: 'cpu' });
  const { wallMs } = await side.open({ count: connections, subscribing: SUBSCRIBING, concurrency });
  const after = await side.server.ask<Cpu>({ kind: 'cpu' });
  await side.ask({ kind: 'reset' });
  await side.server.ask({ kind: 'abandoned' });
  return { connections, cpuUs: after.us - before.us, wallMs };
}
