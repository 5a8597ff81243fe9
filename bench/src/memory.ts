import { numericOptions } from './comparison.ts';
import type { Subscribing } from './load/subscribe-request.ts';
import type { Memory } from './servers/questions.ts';
import { SERVERS, Side } from './side.ts';

export const CONNECTIONS = 10_000;
/** These come and go first, few at a time: they load code and grow pools, which no further connection has to. */
const UNCOUNTED = { rounds: 50, connections: 100 };
const SUBSCRIBING = { encoding: 'json', channels: 1, delta: false } as const;

/** Memory per idle connection: subscribed at the engine, and open at a bare `ws` server. `--connections <n>`. */
export async function run(args: string[]): Promise<void> {
  const { connections } = numericOptions(args, { connections: CONNECTIONS });
  await measureMemory(connections);
}

export async function measureMemory(connections = CONNECTIONS): Promise<void> {
  const engine = await bytesPerConnection(SERVERS.engine, connections);
  const held = await bytesPerConnection(SERVERS.engine, connections, { ...SUBSCRIBING, overHttp: true });
  const bare = await bytesPerConnection(SERVERS.bareWs, connections);
  console.log(`memory: ${connections} idle connections`);
  console.log(
    `  RSS per connection, KB: engine, subscribed ${kb(engine)}, wanted ≤ 12; ` +
      `bare ws, for orientation ${kb(bare)}; ratio ${(engine / bare).toFixed(2)}`,
  );
  console.log(`  the same over HTTP streaming ${kb(held)}, wanted ≤ 18`);
}

const kb = (bytes: number): string => (bytes / 1024).toFixed(1);

/** Growth of a server's resident set per idle connection. */
export async function bytesPerConnection(
  server: URL,
  connections: number,
  subscribing: Subscribing = SUBSCRIBING,
): Promise<number> {
  // Connections of the load do not answer pings over HTTP.
  const side = await Side.start(server, { flags: ['--expose-gc'], args: ['--pings=off'] });
  try {
    if (server === SERVERS.bareWs) await side.server.ask({ kind: 'reply', bytes: READY_REPLY });
    for (let round = 0; round < UNCOUNTED.rounds; round++) {
      await side.open({ count: UNCOUNTED.connections, subscribing });
      await side.ask({ kind: 'reset' });
      await side.server.ask({ kind: 'abandoned' });
    }
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
