import { createConnection } from 'node:net';
import { Disconnect, ReplyError } from '@msg/engine';
import { protobufCodec, ReplyStream } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { OPEN_POLICY } from '../../harness.ts';
import { type Stream, StreamServer } from './stream-server.ts';

let server: StreamServer;
afterEach(() => server.stop());

const CONNECT = '{"id":1,"connect":{}}';
const encoder = new TextEncoder();
const noneLeft = (): Promise<void> =>
  eventually(
    'nothing of the connections is left',
    () => {
      const { connections, subscriptions, channels } = server.node.stats();
      return connections === 0 && subscriptions === 0 && channels === 0;
    },
    10_000,
  );

describe('an HTTP stream', () => {
  it('opens at once and says what no proxy may do with it', async () => {
    let admit = (): void => {};
    server = await StreamServer.start({
      policy: {
        ...OPEN_POLICY,
        connect: () => new Promise(resolve => (admit = () => resolve({ user: '' }))),
      },
    });
    const stream = await server.open('/connection/http_stream', CONNECT);
    expect(stream.response.statusCode).toBe(200);
    expect(stream.response.headers).toMatchObject({
      'cache-control': 'private, no-cache, no-store, must-revalidate, max-age=0',
      pragma: 'no-cache',
      expires: '0',
      'x-accel-buffering': 'no',
      connection: 'keep-alive',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(stream.text).toBe('');
    admit();
    await stream.until(() => stream.replies[0]?.connect?.session !== undefined);
    expect(stream.replies[0]?.connect).toMatchObject({ node: server.node.id });
    expect(stream.replies[0]?.connect?.session).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('carries whole messages in each piece, never a blank line, and a disconnect push last', async () => {
    server = await StreamServer.start();
    const stream = await server.connected({ subscribe: { channel: 'news' } });
    for (let round = 0; round < 50; round++) {
      for (let n = 0; n < 5; n++) await server.node.publish('news', encoder.encode(`{"ä":"世界 ${n}"}`));
      await new Promise(resolve => setImmediate(resolve));
    }
    await stream.until(() => stream.replies.length === 252);
    const closing = server.node.shutdown();
    await stream.until(() => stream.ended);
    await closing;
    for (const piece of stream.pieces) expect(piece.toString()).toMatch(/^(?:[^\n]+\n)+$/);
    expect(stream.text.trimEnd().split('\n').at(-1)).toBe(
      '{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}',
    );
  });

  it('carries length-delimited Protobuf for application/octet-stream, and only for exactly that', async () => {
    server = await StreamServer.start();
    const body = protobufCodec.join([protobufCodec.encodeCommand({ id: 1, connect: {} })]);
    const binary = await server.open('/connection/http_stream', body, {
      'content-type': 'application/octet-stream',
    });
    expect(binary.response.headers['content-type']).toBe('application/octet-stream');
    await binary.until(() => binary.pieces.length > 0);
    const replies = new ReplyStream('protobuf');
    replies.push(Buffer.concat(binary.pieces));
    expect(replies.next()?.connect?.client).toMatch(/^[0-9a-f-]{36}$/);
    const text = await server.open('/connection/http_stream', CONNECT, {
      'content-type': 'application/octet-stream; charset=utf-8',
    });
    await text.until(() => text.replies[0]?.connect !== undefined);
  });

  it('speaks HTTP/1.0 without chunks, as proxies do', async () => {
    server = await StreamServer.start();
    const socket = createConnection(server.port, '127.0.0.1');
    let received = '';
    socket.on('data', piece => {
      received += piece;
    });
    socket.write(
      `POST /connection/http_stream HTTP/1.0\r\nContent-Length: ${CONNECT.length}\r\n\r\n${CONNECT}`,
    );
    await eventually('the connect is answered', () => received.includes('"connect"'));
    expect(received).toMatch(/\r\n\r\n\{"id":1,"connect":\{[^\n]*\}\n$/);
    expect(received.toLowerCase()).not.toContain('transfer-encoding');
    socket.destroy();
    await noneLeft();
  });

  it.each([
    ['a refusing hook', () => Promise.reject(new Disconnect(4500, 'not you')), [4500, 'not you']],
    ['nonsense', () => ({ user: '' }), [3501, 'bad request']],
  ] as const)('ends after a disconnect push for %s', async (what, connect, [code, reason]) => {
    server = await StreamServer.start({ policy: { ...OPEN_POLICY, connect } });
    const body = what === 'nonsense' ? 'nonsense' : CONNECT;
    const stream = await server.open('/connection/http_stream', body);
    await stream.until(() => stream.ended);
    expect(stream.response.statusCode).toBe(200);
    expect(JSON.parse(stream.text)).toEqual({ push: { disconnect: { code, reason } } });
  });

  it('opens and ends with a push while the node drains', async () => {
    server = await StreamServer.start();
    await server.node.shutdown();
    const stream = await server.open('/connection/http_stream', CONNECT);
    await stream.until(() => stream.ended);
    expect(JSON.parse(stream.text)).toEqual({ push: { disconnect: { code: 3001, reason: 'shutdown' } } });
    // The reading of the body had a deadline.
    expect(server.clock.pending).toBe(0);
  });

  it('stays open after an error reply to connect, until the stale moment', async () => {
    const connect = (): never => {
      throw new ReplyError(109, 'token expired');
    };
    server = await StreamServer.start({ policy: { ...OPEN_POLICY, connect } });
    const stream = await server.open('/connection/http_stream', CONNECT);
    await stream.until(() => stream.replies[0]?.error?.code === 109);
    expect(stream.ended).toBe(false);
    await server.clock.advance(15_000);
    await stream.until(() => stream.ended);
    expect(stream.replies.at(-1)?.push?.disconnect?.code).toBe(3502);
  });

  it('is cut with 3008 when its reader is slow, and says so once it reads on', async () => {
    server = await StreamServer.start();
    const slow = await server.connected({ subscribe: { channel: 'news' } });
    const fine = await server.connected({ subscribe: { channel: 'news' } });
    slow.response.pause();
    const data = encoder.encode(JSON.stringify('x'.repeat(32_000)));
    await eventually(
      'the slow one is cut',
      async () => {
        for (let n = 0; n < 10; n++) await server.node.publish('news', data);
        await new Promise(resolve => setImmediate(resolve));
        return server.node.stats().slowConsumers === 1;
      },
      15_000,
    );
    expect(server.node.stats().connections).toBe(1);
    slow.response.resume();
    await slow.until(() => slow.ended);
    expect(slow.replies.at(-1)?.push?.disconnect?.code).toBe(3008);
    const { offset } = await server.node.history('news', { limit: 0 });
    await fine.until(() => fine.replies.at(-1)?.push?.pub?.offset === offset);
  });

  it('is over when its reader closes half of the connection', async () => {
    server = await StreamServer.start();
    const socket = createConnection({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('data', () => {});
    socket.write(
      `POST /connection/http_stream HTTP/1.1\r\nHost: a\r\nContent-Length: ${CONNECT.length}\r\n\r\n${CONNECT}`,
    );
    await eventually('it is connected', () => server.node.stats().connections === 1);
    socket.end();
    await noneLeft();
    socket.destroy();
  });

  it('leaves nothing after a thousand aborted ones', async () => {
    server = await StreamServer.start();
    const body = `${CONNECT}\n{"id":2,"subscribe":{"channel":"news"}}`;
    for (let round = 0; round < 20; round++) {
      const streams = await Promise.all(
        Array.from({ length: 50 }, () => server.open('/connection/http_stream', body)),
      );
      for (const stream of streams) stream.abort();
    }
    await noneLeft();
    await eventually('all sockets are closed', () => server.sockets.size === 0);
    expect(server.node.stats().timers).toBeLessThanOrEqual(1); // the stream's own
  });

  it('gives up on requests whose body never ends', async () => {
    server = await StreamServer.start();
    const socket = createConnection(server.port, '127.0.0.1');
    socket.write('POST /connection/http_stream HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"id"');
    await eventually('the socket is there', () => server.sockets.size === 1);
    expect(server.node.stats().connections).toBe(0);
    socket.destroy();
    await eventually('the socket is gone', () => server.sockets.size === 0);
  });
});

describe('requests that open no stream', () => {
  const post = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(server.origin + path, { method: 'POST', ...init });

  it.each(['/connection/http_stream', '/connection/sse', '/emulation'])(
    '%s: too large a body',
    async path => {
      server = await StreamServer.start();
      expect((await post(path, { body: 'x'.repeat(65_537) })).status).toBe(413);
      const endless = new ReadableStream({
        pull: controller => controller.enqueue(new Uint8Array(16_384)),
      });
      const sent = post(path, { body: endless, duplex: 'half' } as RequestInit);
      await expect(sent.then(({ status }) => status)).resolves.toBe(413);
    },
  );

  it.each([
    ['/connection/http_stream', 'POST, OPTIONS'],
    ['/connection/sse', 'GET, POST, OPTIONS'],
    ['/emulation', 'POST, OPTIONS'],
  ])('%s: other methods and preflights', async (path, methods) => {
    server = await StreamServer.start();
    const refused = await fetch(server.origin + path, { method: 'DELETE' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, methods]);
    const preflight = await fetch(server.origin + path, {
      method: 'OPTIONS',
      headers: { origin: server.origin, 'access-control-request-headers': 'content-type' },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': server.origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '300',
      vary: 'Origin',
    });
  });

  it('foreign origins get 403', async () => {
    server = await StreamServer.start();
    const headers = { origin: 'https://evil.example' };
    for (const path of ['/connection/http_stream', '/connection/sse', '/emulation']) {
      expect((await post(path, { headers, body: CONNECT })).status).toBe(403);
    }
  });
});

describe('server-sent events', () => {
  const events = (stream: Stream): unknown[] =>
    stream.text
      .split('\n\n')
      .filter(event => event.trimStart().startsWith('data: '))
      .map(event => JSON.parse(event.trimStart().slice('data: '.length)));

  it.each(['GET', 'POST'])('open with a line break and carry one event per message, %s', async method => {
    server = await StreamServer.start();
    const query = method === 'GET' ? `?cf_connect=${encodeURIComponent(CONNECT)}` : '';
    const stream = await server.open(`/connection/sse${query}`, method === 'GET' ? null : CONNECT);
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    await stream.until(() => events(stream).length === 1);
    expect(stream.text.startsWith('\ndata: ')).toBe(true);
    expect(events(stream)).toMatchObject([{ id: 1, connect: { node: server.node.id } }]);
    await server.node.shutdown();
    await stream.until(() => stream.ended);
    expect(events(stream).at(-1)).toEqual({ push: { disconnect: { code: 3001, reason: 'shutdown' } } });
  });

  it('without commands are refused', async () => {
    server = await StreamServer.start();
    for (const query of ['', '?cf_connect=', '?other=1']) {
      expect((await fetch(`${server.origin}/connection/sse${query}`)).status).toBe(400);
    }
  });
});

describe('the emulation endpoint', () => {
  const post = async (body: string | Uint8Array, type?: string): Promise<number> => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    return (await fetch(`${server.origin}/emulation`, { method: 'POST', body: Buffer.from(body), headers }))
      .status;
  };

  it('feeds the commands of a session, answers on its stream', async () => {
    server = await StreamServer.start();
    const stream = await server.connected();
    expect(await server.emulate(stream, { id: 2, subscribe: { channel: 'news' } })).toBe(204);
    await stream.until(() => stream.replies[1]?.subscribe !== undefined);
    await server.node.publish('news', encoder.encode('1'));
    await stream.until(() => stream.replies[2]?.push?.pub?.offset === 1);
  });

  it('takes Protobuf bodies for Protobuf sessions', async () => {
    server = await StreamServer.start();
    const body = protobufCodec.join([protobufCodec.encodeCommand({ id: 1, connect: {} })]);
    const type = 'application/octet-stream';
    const stream = await server.open('/connection/http_stream', body, { 'content-type': type });
    await stream.until(() => stream.pieces.length > 0);
    const replies = new ReplyStream('protobuf');
    replies.push(Buffer.concat(stream.pieces));
    const { session = '', node = '' } = replies.next()?.connect ?? {};
    const frame = protobufCodec.join([
      protobufCodec.encodeCommand({ id: 2, subscribe: { channel: 'news' } }),
    ]);
    expect(await post(protobufCodec.encodeEmulation(node, session, frame), type)).toBe(204);
    await eventually('it is subscribed', () => server.node.subscriberCount('news') === 1);
  });

  it('refuses a bad request, an unknown session and an unknown node', async () => {
    server = await StreamServer.start();
    const stream = await server.connected();
    const { session, node } = stream.replies[0]?.connect ?? {};
    const status = (request: object): Promise<number> => post(JSON.stringify(request));
    expect(await post('nonsense')).toBe(400);
    expect(await post('')).toBe(400);
    expect(await status({ session, node, data: {} })).toBe(400);
    expect(await status({ session, node })).toBe(400);
    expect(await status({ session: 'other', node, data: '{}' })).toBe(404);
    expect(await status({ session, node: 'other', data: '{}' })).toBe(404);
    expect(stream.ended).toBe(false);
  });

  it('knows a session only while it is connected', async () => {
    let admit = (): void => {};
    const connect = () => new Promise<{ user: string }>(resolve => (admit = () => resolve({ user: '' })));
    server = await StreamServer.start({ policy: { ...OPEN_POLICY, connect } });
    const stream = await server.open('/connection/http_stream', CONNECT);
    admit();
    await stream.until(() => stream.replies.length === 1);
    stream.abort();
    await noneLeft();
    expect(await server.emulate(stream, { id: 2, subscribe: { channel: 'news' } })).toBe(404);
  });

  it('executes commands one after the other, in whatever order and pieces their requests come', async () => {
    server = await StreamServer.start();
    const stream = await server.connected();
    const commands = Array.from({ length: 200 }, (_, n) => ({
      id: n + 2,
      ...(n % 2 === 0 ? { subscribe: { channel: `c${n % 10}` } } : { unsubscribe: { channel: `c${n % 9}` } }),
    }));
    const shuffled = commands
      .map((command, n) => ({ command, at: (n * 7919) % 211 }))
      .sort((a, b) => a.at - b.at)
      .map(({ command }) => command);
    const requests: Promise<number>[] = [];
    for (let at = 0; at < shuffled.length; ) {
      const size = 1 + (at % 5);
      requests.push(server.emulate(stream, ...shuffled.slice(at, at + size)));
      at += size;
    }
    expect(new Set(await Promise.all(requests))).toEqual(new Set([204]));
    await stream.until(() => stream.replies.length === commands.length + 1);
    const ids = stream.replies.map(({ id }) => id).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 201 }, (_, n) => n + 1));
    const live = [...server.node.clients()][0]?.channels() ?? [];
    const counted = Array.from({ length: 10 }, (_, n) => `c${n}`).filter(
      channel => server.node.subscriberCount(channel) === 1,
    );
    expect(live.sort()).toEqual(counted.sort());
    stream.abort();
    await noneLeft();
  });

  it('takes no more than a session may have waiting', async () => {
    let release = (): void => {};
    const gate = new Promise<void>(resolve => {
      release = resolve;
    });
    const subscribe = async () => {
      await gate;
      return {};
    };
    server = await StreamServer.start({
      policy: { ...OPEN_POLICY, subscribe },
      limits: { backlogBytes: 10_000 },
    });
    const stream = await server.connected();
    await server.emulate(stream, { id: 2, subscribe: { channel: 'news' } });
    const statuses: number[] = [];
    for (let n = 0; n < 20; n++) {
      statuses.push(
        await server.emulate(stream, {
          id: n + 3,
          publish: { channel: 'news', data: encoder.encode(`"${'x'.repeat(2000)}"`) },
        }),
      );
    }
    expect(new Set(statuses)).toEqual(new Set([204, 503]));
    release();
    await stream.until(() => stream.replies.length >= 2 + statuses.filter(status => status === 204).length);
    expect(await server.emulate(stream, { id: 99, unsubscribe: { channel: 'news' } })).toBe(204);
  });

  it('keeps a connection alive by its pongs', async () => {
    server = await StreamServer.start();
    const stream = await server.connected();
    for (let n = 0; n < 3; n++) {
      const pings = (): number => stream.replies.filter(({ id, push }) => id === 0 && push === null).length;
      await eventually('a ping comes', async () => {
        await server.clock.advance(1000);
        return pings() > n;
      });
      expect(await server.emulate(stream, {})).toBe(204);
    }
    expect(stream.ended).toBe(false);
    await server.clock.advance(60_000);
    await stream.until(() => stream.ended);
    expect(stream.replies.at(-1)?.push?.disconnect?.code).toBe(3012);
  });
});
