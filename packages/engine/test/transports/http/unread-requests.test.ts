import type { IncomingMessage } from 'node:http';
import { eventually } from '@msg/testkit';
import { HostileSocket, rawRequest, unfinishedRequest } from '@msg/testkit/hostile';
import { afterEach, describe, expect, it } from 'vitest';
import { StreamServer } from './stream-server.ts';

let server: StreamServer;
const sockets: HostileSocket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop();
});

const ROUTES = ['/connection/http_stream', '/connection/sse', '/emulation'];

async function send(bytes: Uint8Array): Promise<HostileSocket> {
  const socket = await HostileSocket.open(server.origin);
  sockets.push(socket);
  socket.send(bytes);
  return socket;
}

/** Status and `Connection` of the answer, and how the server ends the connection after it. */
async function answerTo(socket: HostileSocket): Promise<readonly (string | number | undefined)[]> {
  const { status, headers } = await socket.response();
  return [status, headers.get('connection'), await socket.ended()];
}

describe.each(ROUTES)('a POST to %s', target => {
  const post = { method: 'POST', target };

  it('that is not whole after 15 s is 408, and holds nothing any more', async () => {
    server = await StreamServer.start();
    const socket = await send(Buffer.concat([unfinishedRequest(post, 100), Buffer.from('{"id"')]));
    await eventually('it is read', () => server.node.bodies.heldBytes > 0);
    await server.clock.advance(15_200);
    expect(await answerTo(socket)).toEqual([408, 'close', 'fin']);
    expect(server.node.bodies.heldBytes).toBe(0);
  });

  it('that finds no room is 503 and says when to come again', async () => {
    server = await StreamServer.start({ limits: { bodyBytes: 2000 } });
    const socket = await send(rawRequest({ ...post, body: ' '.repeat(1500) }));
    const { status, headers } = await socket.response();
    expect([status, headers.get('retry-after'), headers.get('connection')]).toEqual([503, '1', 'close']);
    expect(server.node.bodies.heldBytes).toBe(0);
  });

  it('that is announced as too large is 413 before a byte of it is read', async () => {
    server = await StreamServer.start();
    const socket = await send(unfinishedRequest(post, 65_537));
    expect(await answerTo(socket)).toEqual([413, 'close', 'fin']);
  });

  it('from a foreign origin is 403, and what else comes is not read', async () => {
    server = await StreamServer.start();
    const request = { ...post, headers: [['Origin', 'https://evil.example']] } as const;
    const socket = await send(unfinishedRequest(request, 64 << 20));
    const [connection] = server.sockets;
    const answered = answerTo(socket);
    for (let piece = 0; piece < 64; piece++) socket.send(Buffer.alloc(1 << 20));
    expect(await answered).toEqual([403, 'close', 'fin']);
    await eventually('the connection is closed', () => server.sockets.size === 0);
    // What came in one piece with the head, and the piece that was on its way.
    expect(connection?.bytesRead).toBeLessThanOrEqual(2 * 65_536);
  });

  it('that is refused keeps nothing of what arrived with its head', async () => {
    const requests: IncomingMessage[] = [];
    server = await StreamServer.start({}, request => void requests.push(request));
    const refused = { ...post, headers: [['Origin', 'https://evil.example']] } as const;
    const socket = await send(Buffer.concat([unfinishedRequest(refused, 100_000), Buffer.alloc(50_000)]));
    expect(await answerTo(socket)).toEqual([403, 'close', 'fin']);
    expect(requests.map(({ readableLength }) => readableLength)).toEqual([0]);
  });

  it('leaves nothing when its peer goes away', async () => {
    server = await StreamServer.start();
    const unfinished = Buffer.concat([unfinishedRequest(post, 60_000), Buffer.alloc(50_000)]);
    const peers = await Promise.all(Array.from({ length: 50 }, () => send(unfinished)));
    await eventually('all are held', () => server.node.bodies.heldBytes >= 50 * 50_000);
    for (const peer of peers) peer.reset();
    await eventually('nothing is held', () => server.node.bodies.heldBytes === 0);
    expect(server.node.stats().timers).toBe(0);
  });
});

it('commands that were taken hold no memory of their request', async () => {
  server = await StreamServer.start();
  const stream = await server.connected();
  expect(await server.emulate(stream, { id: 2, subscribe: { channel: 'news' } })).toBe(204);
  expect(server.node.bodies.heldBytes).toBe(0);
});

it('a body that a parser took away is answered with the remedy', async () => {
  server = await StreamServer.start({}, async request => {
    for await (const _ of request);
  });
  for (const target of ROUTES) {
    const socket = await send(rawRequest({ method: 'POST', target, body: '{}' }));
    const { status, body } = await socket.response();
    expect([status, body.toString()]).toEqual([
      500,
      'the body was read by a parser before msg: mount msg first',
    ]);
  }
});
