import { readFileSync } from 'node:fs';
import { numericOptions } from './comparison.ts';
import type { Subscribing } from './load/subscribe-request.ts';
import { type ServedMemory, servedMemory } from './served-memory.ts';
import type { Memory } from './servers/questions.ts';
import { SERVERS, Side } from './side.ts';

export const CONNECTIONS = 10_000;
const SUBSCRIBING = { encoding: 'json', channels: 1, delta: false } as const;
const CAPACITY = new URL('../../docs/capacity.md', import.meta.url);
/** Connections at which the service is looked at. */
const SIZES = [1000, 10_000, 19_000, 50_000];
const HTTP_SIZES = [1000, 10_000];
const DEFAULTS = { connections: CONNECTIONS, most: 50_000, 'settle-s': 30 };

/**
 * Memory as users see it: the whole process of a `msg serve` with default settings before any connection and at 1,000,
 * 10,000 and 50,000; then per connection at the engine and at a bare `ws` server. `--connections <n>` of the last two,
 * `--most <n>` of the first, `--settle-s <s>` until a size is read.
 */
export async function run(args: string[]): Promise<void> {
  const { connections, most, 'settle-s': settleS } = numericOptions(args, DEFAULTS);
  const upTo = (sizes: readonly number[]) => sizes.filter(size => size <= most);
  console.log(`memory: msg serve with default settings, idle subscribers, resident after ${settleS} s, MB`);
  print(await servedMemory(upTo(SIZES), { settleS }), formula());
  console.log('  over HTTP streaming, without pings:');
  print(await servedMemory(upTo(HTTP_SIZES), { settleS, overHttp: true }));
  await measureMemory(connections);
}

const mb = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);

/** What docs/capacity.md says: bytes of an empty process, and of each connection. */
function formula(): { readonly empty: number; readonly each: number } {
  const match = /memory {2}= (\d+) MB {2}\+ {2}C · ([\d.]+) KB/.exec(readFileSync(CAPACITY, 'utf8'));
  return { empty: Number(match?.[1]) * 1024 * 1024, each: Number(match?.[2]) * 1024 };
}

function print({ emptyBytes, points, notRun }: ServedMemory, said?: ReturnType<typeof formula>): void {
  console.log(`  before any connection ${mb(emptyBytes)}`);
  for (const { connections, bytes } of points) {
    const each = `${((bytes - emptyBytes) / connections / 1024).toFixed(1)} KB each`;
    const expected = said && said.empty + connections * said.each;
    const beside =
      expected === undefined
        ? ''
        : `; docs/capacity.md says ${mb(expected)}, ${((100 * (expected - bytes)) / bytes).toFixed(0)} % beside it`;
    console.log(`  ${connections} connections ${mb(bytes)}, ${each}${beside}`);
  }
  for (const [connections, reason] of notRun) console.log(`  ${connections} connections not run: ${reason}`);
}

export async function measureMemory(connections = CONNECTIONS): Promise<void> {
  const engine = await bytesPerConnection(SERVERS.engine, connections);
  const overHttp = { ...SUBSCRIBING, overHttp: true };
  const held = await bytesPerConnection(SERVERS.engine, connections, overHttp);
  const bareHeld = await bytesPerConnection(SERVERS.bareHeld, connections, overHttp);
  const bare = await bytesPerConnection(SERVERS.bareWs, connections);
  console.log(`memory: ${connections} idle connections`);
  console.log(
    `  RSS per connection, KB: engine, subscribed ${kb(engine)}, wanted ≤ 12; ` +
      `bare ws, for orientation ${kb(bare)}; ratio ${(engine / bare).toFixed(2)}`,
  );
  console.log(
    `  the same over HTTP streaming ${kb(held)}; an answer that a bare node:http holds open ${kb(bareHeld)}; ` +
      `ratio ${(held / bareHeld).toFixed(2)}, wanted ≤ 1.2`,
  );
}

const kb = (bytes: number): string => (bytes / 1024).toFixed(1);

/** Growth of a server's resident set per idle connection, the code that the first ones load included. */
export async function bytesPerConnection(
  server: URL,
  connections: number,
  subscribing: Subscribing = SUBSCRIBING,
): Promise<number> {
  // Connections of the load do not answer pings over HTTP.
  const side = await Side.start(server, { flags: ['--expose-gc'], args: ['--pings=off'] });
  try {
    if (server === SERVERS.bareWs) await side.server.ask({ kind: 'reply', bytes: READY_REPLY });
    const before = await side.server.ask<Memory>({ kind: 'memory' });
    await side.open({ count: connections, subscribing });
    const after = await side.server.ask<Memory>({ kind: 'memory' });
    return (after.rss - before.rss) / connections;
  } finally {
    await side.stop();
  }
}

/** What makes a load connection content. */
const READY_REPLY = Buffer.from('{"id":2,"subscribe":{}}').toString('base64');
