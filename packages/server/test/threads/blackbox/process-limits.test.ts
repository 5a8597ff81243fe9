import { eventually, RawClient } from '@msg/testkit';
import { HostileSocket, rawRequest, unfinishedRequest } from '@msg/testkit/hostile';
import { afterEach, describe, expect, it } from 'vitest';
import { type FaultyServer, seriesOf, startFaultyServer } from '../../support/threads.ts';

const MIB = 1 << 20;
const WAIT_MS = 40_000;

let server: FaultyServer;
const clients: RawClient[] = [];
const sockets: HostileSocket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.websocket.terminate();
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop();
});

async function start(threads: number, ...args: string[]): Promise<void> {
  server = await startFaultyServer({ args: ['--threads', String(threads), ...args] });
  // It accepts after 10 s without those that still start.
  await eventually('all serve', allServe(threads), WAIT_MS);
}

/** How a new connection fares: it is connected, or the status or code that refuses it. */
async function attempt(): Promise<string> {
  let client: RawClient;
  try {
    client = await RawClient.open(server.websocketUrl);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  clients.push(client);
  try {
    await client.request({ connect: {} });
    return 'connected';
  } catch {
    return String((await client.closed()).code);
  }
}

async function attempts(count: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: count }, attempt));
}

const connected = (outcomes: readonly string[]): number =>
  outcomes.filter(outcome => outcome === 'connected').length;

/** Connections of clients on each thread. */
function onThreads(threads: number): Promise<number[]> {
  const counts = Array.from({ length: threads }, (_, index) =>
    seriesOf(server.url, `msg_thread_connections{thread="${index + 1}"}`),
  );
  return Promise.all(counts.map(async count => (await count) ?? 0));
}

/** Whether all threads serve; false while the one that is asked ends. */
function allServe(threads: number): () => Promise<boolean> {
  return async () => {
    const answer = await fetch(`${server.url}/readyz`).catch(() => undefined);
    const state = (await answer?.json()) as { subsystems: { threads: { detail: string } } } | undefined;
    return state?.subsystems.threads.detail === `${threads} of ${threads}`;
  };
}

/** Opens connections until so many are there: places come back a moment after a connection has ended. */
async function fill(most: number, open: number): Promise<void> {
  let held = open;
  await eventually(`${most} are connected`, async () => {
    held += connected(await attempts(1));
    return held === most;
  });
}

describe.each([2, 3])('with %s threads', threads => {
  it.each([
    ['connections', 'HTTP 503'],
    ['connections-per-address', '3504'],
  ])(
    'limits.%s are those of the process, also after connections and a thread have ended',
    async (limit, refusal) => {
      await start(threads, `--${limit}`, '10');
      const outcomes = await attempts(20);
      expect(connected(outcomes)).toBe(10);
      expect(new Set(outcomes)).toEqual(new Set(['connected', refusal]));
      expect(await attempt()).toBe(refusal);
      // Three end by themselves.
      const refused = clients.filter(({ websocket }) => websocket.readyState !== websocket.OPEN);
      for (const client of refused) clients.splice(clients.indexOf(client), 1);
      for (const client of clients.splice(0, 3)) {
        client.websocket.close();
        await client.closed();
      }
      await fill(10, 7);
      expect(await attempt()).toBe(refusal);
      // The thread that has most ends with all of them. One that was late got none meanwhile.
      const counts = await onThreads(threads);
      const living = clients.filter(({ websocket }) => websocket.readyState === websocket.OPEN);
      expect(living).toHaveLength(10);
      await server.fail(counts.indexOf(Math.max(...counts)) + 1, 'exit');
      await eventually('its connections end', () =>
        living.some(({ websocket }) => websocket.readyState !== websocket.OPEN),
      );
      await eventually('it serves again', allServe(threads), WAIT_MS);
      const left = living.filter(({ websocket }) => websocket.readyState === websocket.OPEN).length;
      expect(left).toBeLessThan(10);
      await fill(10, left);
      for (const outcome of await attempts(2 * threads)) expect(outcome).toBe(refusal);
    },
  );

  it('limits.body_bytes hold for all bodies of the process, also after a thread has ended', async () => {
    await start(threads, '--body-bytes', String(8 * MIB));
    const request = {
      method: 'POST',
      target: '/twirp/msg.MsgService/ListChannels',
      headers: [
        ['Content-Type', 'application/json'],
        ['Authorization', `Bearer ${server.token}`],
      ] as [string, string][],
    };
    const begin = async (): Promise<HostileSocket> => {
      const socket = await HostileSocket.open(server.url);
      sockets.push(socket);
      socket.send(unfinishedRequest(request, 4 * MIB));
      socket.send(Buffer.alloc(3 * MIB, ' '));
      return socket;
    };
    // Three bodies on two threads or more: there is room for two.
    const peers = await Promise.all([begin(), begin(), begin()]);
    const refused = () => peers.filter(({ receivedBytes }) => receivedBytes > 0);
    await eventually('one finds no room', () => refused().length > 0);
    const answer = await refused()[0]?.response();
    expect([answer?.status, answer?.headers.get('retry-after')]).toEqual([503, '1']);
    for (let number = 1; number <= threads; number++) await server.fail(number, 'exit');
    await eventually('all have ended', () =>
      peers.every(({ finReceived, end }) => finReceived || end !== undefined),
    );
    await eventually('all serve again', allServe(threads), WAIT_MS);
    // There would be no room if one of them was still counted.
    const another = await begin();
    const socket = await HostileSocket.open(server.url);
    sockets.push(socket);
    socket.send(rawRequest({ ...request, body: `{}${' '.repeat(4 * MIB - 2)}` }));
    expect((await socket.response()).status).toBe(200);
    expect(another.receivedBytes).toBe(0);
  });
});
