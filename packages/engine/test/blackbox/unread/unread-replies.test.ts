import type { Init, SubscribeRequest } from '@msg/protocol';
import { eventually, RawClient } from '@msg/testkit';
import type { HostileSocket } from '@msg/testkit/hostile';
import { RedisServer } from '@msg/testkit/redis';
import { afterEach, describe, expect, it } from 'vitest';
import { CHANNELS } from './channels.ts';
import { ASKINGS, ASKINGS_WITHOUT_DELTA, type Asking, askAndReadNothing } from './peer.ts';
import { UnreadServer } from './server.ts';

const MIB = 1_048_576;
/** `MSG_UNREAD_PEERS=1000` is the long form. */
const PEERS = Number(process.env['MSG_UNREAD_PEERS'] ?? 100);
/** Fewer where a busy machine may miss the deadlines of a store. */
const PEERS_OF_STORE = Number(process.env['MSG_UNREAD_PEERS'] ?? 40);
const GROWTH_BYTES = 64 * MIB;
const AT_ONCE = 50;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(store?: string): Promise<UnreadServer> {
  const server = await UnreadServer.start(store);
  cleanups.push(() => server.stop());
  return server;
}

const websocketOf = (server: UnreadServer): string =>
  `${server.origin.replace('http', 'ws')}/connection/websocket`;

/** A healthy client recovers everything of a channel. */
async function recoverAll(server: UnreadServer, channel: string, request: Init<SubscribeRequest> = {}) {
  const client = await RawClient.connected(websocketOf(server));
  const id = client.send({ subscribe: { channel, recover: true, ...request } });
  const { subscribe } = await client.take(reply => reply.id === id, 60_000);
  expect(subscribe?.recovered).toBe(true);
  const offsets = subscribe?.publications.map(({ offset }) => offset) ?? [];
  client.websocket.terminate();
  return offsets;
}

const ascending = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** Opens peers and waits until the node does nothing more for them. */
async function attack(
  server: UnreadServer,
  askings: readonly Asking[],
  count: number,
): Promise<HostileSocket[]> {
  const before = (await server.stats()).bytesOut;
  const peers: HostileSocket[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, i) => at + i);
    peers.push(
      ...(await Promise.all(numbers.map(number => askAndReadNothing(server.origin, askings, number)))),
    );
  }
  let last = -1;
  await eventually(
    'every peer is answered as far as its socket takes it',
    async () => {
      const { bytesOut, queueBytes } = await server.stats();
      const isStill = bytesOut === last;
      last = bytesOut;
      // With what waits still, and half as much for those who asked for half.
      return isStill && bytesOut - before + queueBytes > count * 4 * MIB;
    },
    240_000,
  );
  return peers;
}

/** Ends the peers and waits until nothing of them is left. */
async function leave(server: UnreadServer, peers: readonly HostileSocket[]): Promise<void> {
  for (const peer of peers) peer.destroy();
  await eventually(
    'nothing is held for them',
    async () => {
      const { connections, sharedReplyBytes = 0 } = await server.stats();
      return connections === 0 && sharedReplyBytes === 0;
    },
    60_000,
  );
}

/** Peers that ask for 5 MiB in every way there is, and read nothing, cost the node next to nothing each. */
async function withstand(server: UnreadServer, askings: readonly Asking[], count: number): Promise<void> {
  for (const channel of CHANNELS) {
    expect(await recoverAll(server, channel.name)).toEqual(ascending(channel.count));
  }
  // The first ones load code and grow pools, which no further peer has to.
  await leave(server, await attack(server, askings, 2 * askings.length));
  const before = await server.memory();

  const peers = await attack(server, askings, count);
  const { connections, queueBytes, sharedReplyBytes } = await server.stats();
  const growth = (await server.memory()) - before;
  const mib = (bytes = 0): string => (bytes / MIB).toFixed(1);
  console.log(
    `${connections} peers: ${mib(queueBytes)} MiB wait for them, ${mib(sharedReplyBytes)} MiB are held; ` +
      `RSS ${mib(before)} + ${mib(growth)} MiB`,
  );
  expect(connections).toBe(count);
  expect(queueBytes).toBeGreaterThan((count * MIB) / 4);
  expect(growth).toBeLessThan(GROWTH_BYTES);

  for (const channel of CHANNELS) {
    expect(await recoverAll(server, channel.name)).toEqual(ascending(channel.count));
  }
  await leave(server, peers);
}

describe('peers that ask for 5 MiB of history or recovery and read nothing', () => {
  it('hold next to nothing, with streams in the process', { timeout: 600_000 }, async () => {
    await withstand(await start(), ASKINGS, PEERS);
  });

  it('hold next to nothing, with streams in Redis', { timeout: 600_000 }, async () => {
    const redis = await RedisServer.start();
    cleanups.push(() => redis.stop());
    await withstand(await start(redis.address), ASKINGS_WITHOUT_DELTA, PEERS_OF_STORE);
  });
});
