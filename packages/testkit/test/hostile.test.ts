import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { eventually } from '@msg/testkit';
import {
  bodyChunk,
  clientFrame,
  compressionBomb,
  flood,
  fragmentedMessage,
  HostileSocket,
  OPCODES,
  pipelined,
  rawRequest,
  unfinishedRequest,
  upgradeRequest,
} from '@msg/testkit/hostile';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A TCP server and the connection that a hostile socket opened to it. */
async function tcpPair(options: { reads?: boolean } = {}): Promise<{ hostile: HostileSocket; peer: Socket }> {
  const server = createTcpServer({ allowHalfOpen: true });
  const url = await listening(server);
  const [hostile, [peer]] = await Promise.all([
    HostileSocket.open(url, options),
    once(server, 'connection') as Promise<[Socket]>,
  ]);
  stops.push(
    () => hostile.destroy(),
    () => peer.destroy(),
  );
  return { hostile, peer };
}

describe('a hostile socket', () => {
  it('connects to loopback only', async () => {
    await expect(HostileSocket.open('http://192.0.2.1')).rejects.toThrow(RangeError);
    await expect(HostileSocket.open('http://127.0.0.1.example')).rejects.toThrow(RangeError);
    await expect(HostileSocket.open('https://127.0.0.1')).rejects.toThrow(RangeError);
  });

  it('resets the connection: the peer sees ECONNRESET, not an end', async () => {
    const { hostile, peer } = await tcpPair();
    const errored = once(peer, 'error') as Promise<[NodeJS.ErrnoException]>;
    peer.resume();
    await hostile.reset();
    expect((await errored)[0].code).toBe('ECONNRESET');
    expect(hostile.end).toBe('own');
  });

  it('closes one half: the peer sees the end and can still answer', async () => {
    const { hostile, peer } = await tcpPair();
    peer.resume();
    hostile.halfClose();
    await once(peer, 'end');
    peer.end('still here');
    await hostile.until(/still here/);
    expect(await hostile.ended()).toBe('fin');
  });

  it('resets a connection whose half it has closed: the peer sees the end, then ECONNRESET', async () => {
    const { hostile, peer } = await tcpPair();
    const errored = once(peer, 'error') as Promise<[NodeJS.ErrnoException]>;
    const ended = once(peer, 'end');
    peer.resume();
    hostile.halfClose();
    await Promise.all([hostile.reset(), ended]);
    peer.write('into nothing');
    expect(['ECONNRESET', 'EPIPE']).toContain((await errored)[0].code);
  });

  it('drips bytes in pieces and stops when the peer ends the connection', async () => {
    const { hostile, peer } = await tcpPair();
    const pieces: string[] = [];
    peer.on('data', chunk => {
      pieces.push(chunk.toString());
      if (pieces.join('') === 'abcd') peer.resetAndDestroy();
    });
    const sent = await hostile.drip('abcdefgh'.repeat(1000), { pieceBytes: 2, intervalMs: 5 });
    expect(pieces.join('')).toBe('abcd');
    expect(sent).toBeLessThan(8000);
    expect(await hostile.ended()).toBe('reset');
    expect(await hostile.sent('more')).toBe(false);
  });

  it('takes nothing while it does not read, so that the peer keeps what it writes', async () => {
    const { hostile, peer } = await tcpPair({ reads: false });
    peer.write(Buffer.alloc(16_777_216));
    await eventually('the kernel takes no more', () => peer.writableLength > 0 && peer.bytesWritten > 0);
    expect(hostile.receivedBytes).toBe(0);
    hostile.read();
    await eventually('everything arrives', () => hostile.receivedBytes === 16_777_216);
  });

  it('reads pipelined responses one by one: by length, chunked, without content', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/length') response.setHeader('content-length', 3).end('abc');
      else if (request.url === '/chunked') {
        response.write('de');
        response.end('fg');
      } else response.writeHead(204).end();
    });
    const hostile = await HostileSocket.open(await listening(server));
    stops.push(() => hostile.destroy());
    hostile.send(pipelined(['/length', '/chunked', '/none', '/length'].map(target => ({ target }))));
    const responses = [];
    for (let i = 0; i < 4; i++) responses.push(await hostile.response());
    expect(responses.map(({ status, body }) => `${status} ${body}`)).toEqual([
      '200 abc',
      '200 defg',
      '204 ',
      '200 abc',
    ]);
  });
});

describe('hostile requests', () => {
  it('say what they are told: repeated headers, chunked content, content that never comes', async () => {
    const seen: { rawHeaders: string[]; body: string }[] = [];
    const server = createServer((request: IncomingMessage, response) => {
      let body = '';
      request.on('data', chunk => {
        body += chunk;
      });
      request.on('end', () => {
        seen.push({ rawHeaders: request.rawHeaders, body });
        response.end();
      });
    });
    const url = await listening(server);
    const hostile = await HostileSocket.open(url);
    stops.push(() => hostile.destroy());
    hostile.send(
      rawRequest({
        headers: [
          ['x-a', '1'],
          ['X-A', '2'],
        ],
      }),
    );
    hostile.send(rawRequest({ method: 'POST', headers: [['Transfer-Encoding', 'chunked']] }));
    hostile.send(Buffer.concat([bodyChunk('ab'), bodyChunk('c'), bodyChunk('')]));
    await hostile.response();
    await hostile.response();
    expect(seen.map(({ body }) => body)).toEqual(['', 'abc']);
    expect(seen[0]?.rawHeaders).toEqual(['Host', '127.0.0.1', 'x-a', '1', 'X-A', '2']);
    hostile.send(unfinishedRequest({ method: 'POST' }, 5));
    hostile.send('1234');
    await hostile.drip('5', {});
    await hostile.response();
    expect(seen[2]?.body).toBe('12345');
  });
});

describe('hostile frames', () => {
  it('are read by a WebSocket server: whole, fragmented, compressed, wrong', async () => {
    const server = createServer();
    const sockets = new WebSocketServer({ server, perMessageDeflate: true, maxPayload: 100_000 });
    stops.push(() => sockets.close());
    const url = await listening(server);
    const messages: string[] = [];
    const refusals: Error[] = [];
    sockets.on('connection', socket => {
      socket.on('message', data => messages.push(data.toString()));
      socket.on('error', error => refusals.push(error));
    });
    const open = async (): Promise<HostileSocket> => {
      const hostile = await HostileSocket.open(url);
      stops.push(() => hostile.destroy());
      const headers = [['Sec-WebSocket-Extensions', 'permessage-deflate']] as const;
      hostile.send(upgradeRequest({ target: '/', headers }));
      expect((await hostile.response()).status).toBe(101);
      return hostile;
    };
    const good = await open();
    good.send(clientFrame('one'));
    good.send(fragmentedMessage('xy', 3));
    good.send(compressionBomb(90_000));
    await eventually('three messages', () => messages.length === 3);
    expect(messages.slice(0, 2)).toEqual(['one', 'xyxyxy']);
    expect(messages[2]).toBe(' '.repeat(90_000));
    for (const wrong of [
      compressionBomb(50_000_000),
      clientFrame('x', { masked: false }),
      clientFrame('x', { reserved: 1 }),
      clientFrame('x', { opcode: OPCODES.continuation }),
      clientFrame('', { announcedBytes: 2 ** 40 }),
    ]) {
      const before = refusals.length;
      (await open()).send(wrong);
      await eventually('the server refuses it', () => refusals.length === before + 1);
    }
    expect(messages).toHaveLength(3);
  });
});

describe('a flood', () => {
  it('makes every attempt, never more at a time than allowed, and tells what failed', async () => {
    let running = 0;
    let most = 0;
    const { results, failures } = await flood({ count: 50, parallel: 7 }, async index => {
      most = Math.max(most, ++running);
      await new Promise(resolve => setImmediate(resolve));
      running--;
      if (index % 10 === 0) throw new Error('refused');
      return index;
    });
    expect(most).toBe(7);
    expect(results).toHaveLength(45);
    expect(failures).toHaveLength(5);
  });
});
