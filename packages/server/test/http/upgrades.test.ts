import { createServer, request as tlsRequest } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { Msg } from '@msg/server';
import { eventually, localhostCertificate } from '@msg/testkit';
import {
  HostileSocket,
  pipelined,
  type RawRequest,
  type RawResponse,
  rawRequest,
  upgradeRequest,
} from '@msg/testkit/hostile';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { embed, stopEmbedded } from '../support/embedded.ts';

afterEach(stopEmbedded);

type FieldLine = readonly [name: string, value: string];

const JSON_TYPE: FieldLine = ['Content-Type', 'application/json'];
const CONNECT = '{"id":1,"connect":{}}';
/** What `curl --http2` and the client of Java's standard library offer. */
const H2C: readonly FieldLine[] = [
  ['Connection', 'Upgrade, HTTP2-Settings'],
  ['Upgrade', 'h2c'],
  ['HTTP2-Settings', 'AAMAAABkAAQAoAAAAAIAAAAA'],
];

const offering = (request: RawRequest, offer = H2C): RawRequest => ({
  ...request,
  headers: [...offer, ...(request.headers ?? [])],
});

/** The first answer to one request on a connection of its own; `pieces` sends it in as many writes. */
async function ask(url: string, request: RawRequest, pieces = 1): Promise<RawResponse> {
  const socket = await HostileSocket.open(url);
  try {
    const bytes = rawRequest(request);
    const size = Math.ceil(bytes.length / pieces);
    await socket.drip(bytes, { pieceBytes: size });
    return await socket.response();
  } finally {
    socket.reset();
  }
}

/** What an answer says, without what differs each time. */
function saying({ status, headers, body }: RawResponse) {
  const fields = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  return { status, fields, body: body.toString().replace(/"at":"[^"]*"/, '') };
}

const REQUESTS: readonly RawRequest[] = [
  { target: '/healthz' },
  { target: '/readyz' },
  { target: '/msg/schemas' },
  { target: '/app' },
  { target: '/nowhere' },
  { target: '/sse' },
  { target: '/connection/websocket' },
  { target: '/connection/sse' },
  { method: 'POST', target: '/healthz', body: 'x' },
  { method: 'POST', target: '/emulation', body: '{"session":"s","node":"n","data":""}' },
  { method: 'POST', target: '/connection/websocket', body: 'x' },
  { method: 'POST', target: '/twirp/msg.MsgService/ListChannels', headers: [JSON_TYPE], body: '{}' },
  { method: 'POST', target: '/twirp/msg.MsgService/RefreshToken', headers: [JSON_TYPE], body: '{}' },
  {
    method: 'POST',
    target: '/twirp/msg.MsgService/RefreshToken',
    headers: [JSON_TYPE],
    body: JSON.stringify({ refreshToken: 'x'.repeat(10_000) }),
  },
];

describe('an upgrade that is not taken is ignored (RFC 9110, 7.8)', () => {
  it.each(REQUESTS.map(request => [`${request.method ?? 'GET'} ${request.target}`, request] as const))(
    '%s is answered as if it had not been offered',
    async (_name, request) => {
      const { url } = await embed();
      const plain = saying(await ask(url, request));
      expect(saying(await ask(url, offering(request)))).toEqual(plain);
      expect(saying(await ask(url, offering(request), 7))).toEqual(plain);
      const other = [
        ['Connection', 'upgrade'],
        ['Upgrade', 'TLS/1.0, IRC/6.9'],
      ] as const;
      expect(saying(await ask(url, offering(request, other)))).toEqual(plain);
    },
  );

  it('streams open, with the commands of the body', async () => {
    const { url } = await embed();
    for (const target of ['/connection/http_stream', '/connection/sse']) {
      const socket = await HostileSocket.open(url);
      socket.send(rawRequest(offering({ method: 'POST', target, body: CONNECT })));
      await socket.until(/^HTTP\/1\.1 200 [\s\S]*"connect":\{"client":/);
      socket.reset();
    }
  });

  it('the connection stays usable, request after request', async () => {
    const { url } = await embed();
    const socket = await HostileSocket.open(url);
    const post = offering({
      method: 'POST',
      target: '/emulation',
      body: '{"session":"s","node":"n","data":""}',
    });
    for (let round = 0; round < 3; round++) {
      for (const [request, status] of [
        [post, 404],
        [{ target: '/healthz' }, 200],
        [offering({ target: '/healthz' }), 200],
      ] as const) {
        socket.send(rawRequest(request));
        expect((await socket.response()).status).toBe(status);
      }
    }
    socket.send(upgradeRequest());
    expect((await socket.response()).status).toBe(101);
    socket.reset();
  });

  it('a body that was announced with Expect is asked for', async () => {
    const { url } = await embed();
    const socket = await HostileSocket.open(url);
    const body = '{"session":"s","node":"n","data":""}';
    const bytes = rawRequest(
      offering({ method: 'POST', target: '/emulation', headers: [['Expect', '100-continue']], body }),
    );
    socket.send(bytes.subarray(0, -body.length));
    await socket.until(/^HTTP\/1\.1 100 /);
    socket.send(body);
    expect((await socket.response()).status).toBe(404);
    socket.reset();
  });

  it('answers behind which it waits come first', async () => {
    const { url } = await embed();
    const socket = await HostileSocket.open(url);
    socket.send(pipelined([{ target: '/healthz' }, { target: '/app' }, offering({ target: '/nowhere' })]));
    const statuses = [await socket.response(), await socket.response(), await socket.response()];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 404]);
    socket.reset();
  });

  it('so is one over TLS, and WebSockets open there', async () => {
    const msg = await Msg.create();
    const server = createServer(localhostCertificate(), msg.handler());
    msg.attach(server);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const controller = new AbortController();
    const ended = msg.run(controller.signal);
    onTestFinished(async () => {
      controller.abort();
      await ended;
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    });
    await msg.ready();
    const { port } = server.address() as AddressInfo; // a bound TCP server
    const status = await new Promise((resolve, reject) => {
      const headers = Object.fromEntries(H2C);
      const options = { port, method: 'POST', path: '/healthz', headers, rejectUnauthorized: false };
      const sent = tlsRequest({ host: '127.0.0.1', ...options }, response => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end('x');
    });
    expect(status).toBe(405);
    const websocket = new WebSocket(`wss://127.0.0.1:${port}/connection/websocket`, {
      rejectUnauthorized: false,
    });
    await new Promise((resolve, reject) => websocket.once('open', resolve).once('error', reject));
    websocket.terminate();
  });
});

describe('an upgrade that is not the service’s', () => {
  it('goes to another listener when there is one; what is the service’s does not', async () => {
    const { url, server } = await embed();
    const others: string[] = [];
    server.on('upgrade', (request, socket) => {
      if (request.url === '/connection/websocket') return;
      others.push(request.url ?? '');
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n');
    });
    const chat = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'chat'],
    ] as const;
    expect((await ask(url, offering({ target: '/chat' }, chat))).status).toBe(101);
    const socket = await HostileSocket.open(url);
    socket.send(upgradeRequest());
    expect((await socket.response()).status).toBe(101);
    socket.reset();
    expect(others).toEqual(['/chat']);
  });

  it('may be reset while the other listener sleeps', async () => {
    const { url, server } = await embed();
    let taken = 0;
    let closed = 0;
    server.on('upgrade', (_request, socket) => {
      taken++;
      socket.on('close', () => closed++);
    });
    for (let count = 0; count < 10; count++) {
      const socket = await HostileSocket.open(url);
      await socket.sent(upgradeRequest({ target: '/chat' }));
      await eventually('the upgrade arrives', () => taken === count + 1);
      socket.reset();
    }
    await eventually('all are closed', () => closed === 10);
  });

  it('two services on one server attach side by side', async () => {
    const { url, server } = await embed();
    const second = await Msg.create();
    second.attach(server);
    expect((await ask(url, offering({ target: '/healthz' }))).status).toBe(200);
    const socket = await HostileSocket.open(url);
    socket.send(upgradeRequest());
    expect((await socket.response()).status).toBe(101);
    socket.reset();
    await second.close();
  });
});

describe('a handshake that is refused', () => {
  const foreign: FieldLine = ['Origin', 'http://localhost:5173'];

  it('of a foreign origin says which one it was and which setting lists it', async () => {
    const { url } = await embed();
    const { host } = new URL(url);
    const own: FieldLine = ['Host', host];
    const text =
      `origin "http://localhost:5173" is not allowed on host "${host}": ` +
      'server.allowed_origins (--allowed-origin, MSG_ALLOWED_ORIGINS, option allowedOrigins) must list it\n';
    const handshake = await HostileSocket.open(url);
    handshake.send(upgradeRequest({ headers: [own, foreign] }));
    const requests: RawRequest[] = [
      { target: '/connection/websocket' },
      { target: '/connection/sse?cf_connect=x' },
      { target: '/manifest' },
      { method: 'POST', target: '/connection/http_stream', body: CONNECT },
      { method: 'POST', target: '/emulation', body: '{}' },
      { method: 'POST', target: '/twirp/msg.MsgService/RefreshToken', body: '{}' },
    ];
    const answers = await Promise.all(
      requests.map(request => ask(url, { ...request, headers: [own, foreign] })),
    );
    for (const answer of [await handshake.response(), ...answers]) {
      expect([answer.status, answer.body.toString()]).toEqual([403, text]);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    }
    handshake.reset();
  });

  it('of an origin made up to do harm shows 200 harmless characters of it', async () => {
    const { url } = await embed();
    const origin = `http://\u0085\u00a0é<script>"\\${'x'.repeat(5000)}`;
    const { status, body } = await ask(url, { target: '/manifest', headers: [['Origin', origin]] });
    expect(status).toBe(403);
    expect(body.length).toBeLessThan(700);
    expect(body.toString()).toMatch(
      /^origin "http:\/\/\\u0085\\u00a0\\u00e9<script>\\"\\\\x{170,180}…" is not allowed/,
    );
  });

  it('behind an answer that is due gets its refusal behind that answer', async () => {
    const { url } = await embed();
    const socket = await HostileSocket.open(url);
    socket.send(Buffer.concat([pipelined([{ target: '/readyz' }]), upgradeRequest()]));
    expect((await socket.response()).status).toBe(200);
    expect((await socket.response()).status).toBe(400);
    socket.reset();
  });

  it('ends its connection', async () => {
    const { url } = await embed();
    for (const headers of [[foreign], [['Sec-WebSocket-Version', '99'] as const]]) {
      const socket = await HostileSocket.open(url);
      socket.send(upgradeRequest({ headers }));
      expect((await socket.response()).headers.get('connection')).toBe('close');
      expect(await socket.ended()).toBe('fin');
    }
  });
});

it('a half-closed connection is answered as well', async () => {
  const { url, server } = await embed();
  const { port } = server.address() as AddressInfo; // a bound TCP server
  const socket = connect(port, new URL(url).hostname);
  let text = '';
  socket.on('data', chunk => {
    text += chunk;
  });
  const closed = new Promise(resolve => socket.once('close', resolve));
  socket.end(rawRequest(offering({ target: '/healthz' })));
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
});
