import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clientFrame, HostileSocket, upgradeRequest } from '@msg/testkit/hostile';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketTransport } from '#src/transports/websocket/websocket.ts';
import { Harness } from '../../harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start();
});
afterEach(() => harness.stop());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Sends a raw HTTP request and answers its status, or 101. */
async function status(method: string, headers: Record<string, string>): Promise<number> {
  return (await answer(method, headers)).status;
}

function answer(method: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port: harness.port,
      host: '127.0.0.1',
      path: '/connection/websocket',
      method,
      headers,
    });
    sent.on('response', response => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers });
    });
    sent.on('error', reject);
    sent.end();
  });
}

const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

describe('the WebSocket handshake', () => {
  it.each([
    [['x', 'centrifuge-protobuf'], 'centrifuge-protobuf', '', 'protobuf'],
    [['centrifuge-json', 'centrifuge-protobuf'], 'centrifuge-json', '', 'json'],
    [['centrifuge-json'], 'centrifuge-json', '?cf_protocol=protobuf', 'protobuf'],
    [[], '', '', 'json'],
    [[], '', '?cf_protocol=protobuf', 'protobuf'],
    [[], '', '?format=protobuf', 'protobuf'],
    [[], '', '?cf_protocol_version=v9', 'json'],
  ] as const)(
    'offered %j echoes "%s"; with query "%s" the encoding is %s',
    async (offer, echoed, query, encoding) => {
      const client = await harness.open({ subprotocols: offer, query, encoding });
      expect(client.websocket.protocol).toBe(echoed);
      expect((await client.request({ connect: {} })).connect?.version).toBe('1.2.3');
    },
  );

  it.each([
    ['', undefined],
    [',', undefined],
    ['x', undefined],
    ['x, x', undefined],
    ['"centrifuge-json"', undefined],
    ['centrifuge-json, centrifuge-json', 'centrifuge-json'],
    [', centrifuge-protobuf ,', 'centrifuge-protobuf'],
    ['x x, centrifuge-json', 'centrifuge-json'],
  ])('fails no client over the sub-protocols %j and echoes %j', async (offered, echoed) => {
    const { status, headers } = await answer('GET', { ...UPGRADE, 'Sec-WebSocket-Protocol': offered });
    expect([status, headers['sec-websocket-protocol']]).toEqual([101, echoed]);
  });

  it.each([
    ['GET', {}, 426, { upgrade: 'websocket', connection: 'Upgrade' }],
    ['GET', { Connection: 'Upgrade', Upgrade: 'h2c' }, 426, { upgrade: 'websocket' }],
    ['GET', { ...UPGRADE, Connection: 'close' }, 400, { connection: 'close' }],
    ['GET', { ...UPGRADE, Upgrade: 'h2c, WebSocket' }, 101, { upgrade: 'websocket' }],
    ['POST', {}, 405, { allow: 'GET' }],
    ['HEAD', {}, 405, { allow: 'GET' }],
    ['OPTIONS', {}, 405, { allow: 'GET' }],
    ['POST', UPGRADE, 405, { allow: 'GET' }],
    ['GET', { ...UPGRADE, 'Sec-WebSocket-Version': '12' }, 400, { 'sec-websocket-version': '13, 8' }],
  ] as const)('%s with %j answers %d with %j', async (method, headers, expected, fields) => {
    const { status, headers: answered } = await answer(method, headers);
    expect(status).toBe(expected);
    expect(answered).toMatchObject(fields);
  });

  it.each([
    ['no Origin', {}, 101],
    ['its own origin', { Origin: 'http://<host>' }, 101],
    ['its own origin in capitals', { Origin: 'HTTP://LOCALHOST:<port>', Host: 'localhost:<port>' }, 101],
    ['another origin', { Origin: 'https://example.com' }, 403],
    ['another port', { Origin: 'http://127.0.0.1:1' }, 403],
    ['a null origin', { Origin: 'null' }, 403],
  ] as const)('with %s answers %s', async (_name, headers, expected) => {
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('<host>', `127.0.0.1:${harness.port}`).replace('<port>', String(harness.port)),
      ]),
    );
    expect(await status('GET', { Host: `127.0.0.1:${harness.port}`, ...UPGRADE, ...filled })).toBe(expected);
  });

  it.each([
    ['POST', UPGRADE, 405],
    ['GET', { ...UPGRADE, 'Sec-WebSocket-Version': '12' }, 400],
    ['GET', { ...UPGRADE, 'Sec-WebSocket-Key': 'short' }, 400],
  ])('%s with %j answers %d', async (method, headers, expected) => {
    expect(await status(method, headers)).toBe(expected);
  });

  it.each([
    ['a foreign origin', [['Origin', 'https://foreign.example']]],
    ['an unknown version', [['Sec-WebSocket-Version', '99']]],
  ] as const)('refused for %s, may be reset while the refusal is written', async (_name, headers) => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => void uncaught.push(error);
    process.on('uncaughtException', note);
    onTestFinished(() => void process.off('uncaughtException', note));
    for (let count = 0; count < 20; count++) {
      const socket = await HostileSocket.open(`http://127.0.0.1:${harness.port}`);
      await socket.sent(upgradeRequest({ headers }));
      socket.reset();
    }
    expect(await status('GET', UPGRADE)).toBe(101);
    expect(uncaught).toEqual([]);
  });

  it('judges a request once, and whether the node runs until the end', async () => {
    let judged = 0;
    const transport = new WebSocketTransport(harness.node, { allowOrigin: () => ++judged > 0 });
    const accepted: boolean[] = [];
    const server = createServer().on('upgrade', async (request, socket, head) => {
      accepted.push(transport.takes(request));
      if (accepted.length === 2) {
        const stopped = harness.node.shutdown();
        await harness.clock.advance(5000); // the first peer does not answer its close frame
        await stopped;
      }
      transport.handleUpgrade(request, socket, head);
    });
    onTestFinished(() => server.closeAllConnections());
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    for (const answer of [/^HTTP\/1\.1 101 /, /^HTTP\/1\.1 503 /]) {
      const socket = await HostileSocket.open(`http://127.0.0.1:${port}`);
      onTestFinished(() => socket.reset());
      socket.send(upgradeRequest());
      await socket.until(answer);
    }
    server.close();
    expect({ accepted, judged }).toEqual({ accepted: [true, true], judged: 2 });
  });

  it('is refused with 503 while the node does not run', async () => {
    await harness.node.shutdown();
    expect(await status('GET', UPGRADE)).toBe(503);
  });
});

describe('native ping frames', () => {
  it('replace the protocol pings when the client asks for them', async () => {
    const client = await harness.open({ query: '?cf_ws_frame_ping_pong=true' });
    let pings = 0;
    client.websocket.on('ping', () => pings++);
    const { connect } = await client.request({ connect: {} });
    expect(connect).toMatchObject({ ping: 0, pong: false });
    for (let t = 0; t < 60; t += 5) {
      await harness.clock.advance(5000);
      await client.request({ unsubscribe: { channel: 'x' } });
    }
    expect(pings).toBeGreaterThanOrEqual(2);
    expect(client.received).toEqual([]);
    client.pong();
    expect((await client.closed()).code).toBe(3501);
  });

  it('end the connection when no pong frame comes within 10 s', async () => {
    const client = await harness.open({ query: '?cf_ws_frame_ping_pong=true' });
    client.websocket.pong = () => {};
    const receiver = client.websocket as unknown as { _autoPong: boolean };
    receiver._autoPong = false;
    await client.request({ connect: {} });
    for (let t = 0; t < 37; t++) {
      await harness.clock.advance(1000);
      if (t < 20) await client.request({ unsubscribe: { channel: 'x' } });
    }
    expect(await client.closed()).toEqual({ code: 3012, reason: 'no pong' });
  });
});

describe('closing', () => {
  it('answers the client’s own close and treats any as its leaving', async () => {
    const client = await harness.connected();
    client.websocket.close(1000, 'bye');
    expect(await client.closed()).toEqual({ code: 1000, reason: 'bye' });
  });

  it('drops the connection of a peer that does not answer a close frame', async () => {
    const socket = await HostileSocket.open(`http://127.0.0.1:${harness.port}`);
    socket.send(upgradeRequest());
    await socket.until(/101 Switching Protocols/);
    socket.send(clientFrame('garbage'));
    await socket.untilBytes(Buffer.from([0x0d, 0xad])); // code 3501
    await harness.clock.advance(5000);
    await socket.ended();
    socket.destroy();
  });

  it('sends a reason that fits and that no client can take for JSON', async () => {
    const client = await harness.connected();
    await harness.node.disconnect({ allUsers: true }, { code: 4100, reason: `${'ä'.repeat(80)}` });
    const { code, reason } = await client.closed();
    expect(code).toBe(4100);
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
    expect(reason).toBe('ä'.repeat(61));
  });

  it.each(['', '123', 'true', 'null', '"x"', '{"reconnect":false}'])(
    'never sends the reason %j as it is',
    async given => {
      const client = await harness.connected();
      await harness.node.disconnect({ allUsers: true }, { code: 4600, reason: given });
      const { reason } = await client.closed();
      expect(reason).not.toBe('');
      expect(() => JSON.parse(reason)).toThrow();
    },
  );

  it('never sends code 3000: the connection just ends, behind what was sent before', async () => {
    const client = await harness.connected();
    await harness.node.disconnect({ allUsers: true }, { code: 3000, reason: 'connection closed' });
    expect(await client.closed()).toEqual({ code: 1006, reason: '' });
  });

  it('ends with 1007 on text that is not UTF-8', async () => {
    const client = await harness.connected();
    client.websocket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    expect((await client.closed()).code).toBe(1007);
  });
});
