import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BodyRule, RealtimeNode } from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { bodyChunk, HostileSocket, rawRequest, unfinishedRequest } from '@msg/testkit/hostile';
import { afterEach, describe, expect, it } from 'vitest';
import { OPEN_POLICY } from '../../harness.ts';

const RULE: BodyRule = { limit: 100_000, anonymous: false };
const BUDGET = 150_000;

/** A server that answers each request with what became of its body, and keeps the bodies until they are released. */
class BodyServer {
  readonly clock = new ManualClock();
  readonly node: RealtimeNode;
  readonly outcomes: string[] = [];
  readonly #server: Server;
  readonly #releases: (() => void)[] = [];
  readonly #sockets: HostileSocket[] = [];

  private constructor(rule: BodyRule, prepare: (request: IncomingMessage) => void | Promise<void>) {
    this.node = new RealtimeNode({
      policy: OPEN_POLICY,
      clock: this.clock,
      limits: { bodyBytes: BUDGET },
      onBodyRewritten: () => this.outcomes.push('rewritten'),
    });
    this.#server = createServer(async (request, response) => {
      const prepared = prepare(request);
      if (prepared !== undefined) await prepared;
      let answered = false;
      const say = (text: string): void => {
        answered = true;
        this.outcomes.push(text.length > 40 ? `${text.length} bytes` : text);
        response.end(text);
      };
      const body = this.node.bodies.read(request, rule, {
        onBody: bytes => say(bytes.toString()),
        onDenied: reason => {
          // What comes after it is not read: some versions of Node.js would keep the connection.
          response.setHeader('connection', 'close');
          say(reason);
        },
      });
      this.#releases.push(() => body.release());
      request.on('close', () => {
        if (!answered) body.release();
      });
    });
  }

  static async start(
    rule: BodyRule = RULE,
    prepare: (request: IncomingMessage) => void | Promise<void> = () => {},
  ): Promise<BodyServer> {
    const server = new BodyServer(rule, prepare);
    await new Promise<void>(resolve => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  async connect(): Promise<HostileSocket> {
    const { port } = this.#server.address() as AddressInfo; // a bound TCP server has one
    const socket = await HostileSocket.open(`http://127.0.0.1:${port}`);
    this.#sockets.push(socket);
    return socket;
  }

  get heldBytes(): number {
    return this.node.bodies.heldBytes;
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

let server: BodyServer;
afterEach(() => server.stop());

const post = (bytes: number): Buffer => unfinishedRequest({ method: 'POST' }, bytes);
const CHUNKED = rawRequest({ method: 'POST', headers: [['Transfer-Encoding', 'chunked']] });

/** Sees each piece that the body of a request is read in, without reading it. */
function onPieces(request: IncomingMessage, see: (piece: Buffer) => void): void {
  request.once('newListener', () => process.nextTick(() => request.on('data', see)));
}

describe('a body', () => {
  it.each([
    ['with the head', [Buffer.concat([post(3), Buffer.from('abc')])], ['abc']],
    ['in pieces', [post(3), 'a', 'bc'], ['abc']],
    ['empty', [post(0)], ['']],
    ['of unknown length', [CHUNKED, '1\r\na\r\n2\r\nbc\r\n0\r\n\r\n'], ['abc']],
    ['of unknown length and empty', [CHUNKED, '0\r\n\r\n'], ['']],
    ['of exactly the limit', [post(100_000), 'x'.repeat(100_000)], ['100000 bytes']],
    ['twice on one connection', [post(1), 'a', post(2), 'bc'], ['a', 'bc']],
    ['that is announced as too large', [post(100_001)], ['too_large']],
    ['too large, of unknown length', [CHUNKED, bodyChunk('x'.repeat(100_001))], ['too_large']],
  ])('%s is told once', async (_title, parts, expected) => {
    server = await BodyServer.start();
    const socket = await server.connect();
    for (const part of parts) {
      await socket.sent(part);
      await new Promise(resolve => setImmediate(resolve));
    }
    await eventually('the outcomes', () => server.outcomes.length >= expected.length);
    await server.clock.advance(20_000);
    expect(server.outcomes).toEqual(expected);
    server.release();
    expect(server.heldBytes).toBe(0);
  });

  it('arrives as it was sent, whatever its pieces are', async () => {
    server = await BodyServer.start();
    const sent = Buffer.from(Array.from({ length: 90_000 }, (_, index) => index % 251));
    const socket = await server.connect();
    await socket.sent(CHUNKED);
    for (let at = 0, size = 1; at < sent.length; at += size, size = (size * 7) % 4001) {
      await socket.sent(bodyChunk(sent.subarray(at, at + size)));
    }
    await socket.sent('0\r\n\r\n');
    const { body } = await socket.response();
    expect(body.equals(Buffer.from(sent.toString()))).toBe(true);
    expect(server.heldBytes).toBeGreaterThanOrEqual(sent.length);
    server.release();
    expect(server.heldBytes).toBe(0);
  });

  it('that comes byte by byte holds about as much memory as it has bytes', async () => {
    server = await BodyServer.start();
    const socket = await server.connect();
    await socket.sent(Buffer.concat([CHUNKED, ...Array.from({ length: 256 }, () => bodyChunk('x'))]));
    await eventually('all of it', () => server.heldBytes >= 256);
    expect(server.heldBytes).toBeLessThanOrEqual(1024);
  });

  it('that comes in more than 256 chunks below 256 bytes on average is refused, and no more is kept', async () => {
    let parsed = 0;
    server = await BodyServer.start(RULE, request => {
      const { push } = request;
      request.push = (piece: Buffer | null) => {
        if (piece !== null) parsed++;
        return push.call(request, piece);
      };
    });
    const large = await server.connect();
    await large.sent(
      Buffer.concat([CHUNKED, ...Array.from({ length: 300 }, () => bodyChunk('y'.repeat(290)))]),
    );
    await large.sent('0\r\n\r\n');
    expect((await large.response()).body.length).toBe(87_000);
    parsed = 0;
    const small = await server.connect();
    await small.sent(Buffer.concat([CHUNKED, ...Array.from({ length: 20_000 }, () => bodyChunk('x'))]));
    await small.ended();
    expect(server.outcomes).toEqual(['87000 bytes', 'too_many_chunks']);
    expect(parsed).toBe(256);
  });

  it('of many pieces is read in turns with everything else', async () => {
    let turn = 0;
    const turns = new Map<number, number>();
    server = await BodyServer.start(RULE, request =>
      onPieces(request, ({ length }) => turns.set(turn, (turns.get(turn) ?? 0) + length)),
    );
    const tick = (): void => {
      turn++;
      if (server.outcomes.length === 0) setImmediate(tick);
    };
    const socket = await server.connect();
    await socket.sent(Buffer.concat([post(99_000), Buffer.alloc(99_000, 'z')]));
    setImmediate(tick);
    await eventually('all of it', () => server.outcomes.length === 1);
    expect(server.outcomes).toEqual(['99000 bytes']);
    expect(turns.size).toBeGreaterThan(1);
  });

  it('whose peer goes away is forgotten, and holds nothing', async () => {
    server = await BodyServer.start();
    for (const leave of ['reset', 'halfClose', 'destroy'] as const) {
      const socket = await server.connect();
      await socket.sent(Buffer.concat([post(50_000), Buffer.alloc(30_000)]));
      await eventually('what came', () => server.heldBytes > 0);
      socket[leave]();
      await eventually('nothing is held', () => server.heldBytes === 0);
    }
    await server.clock.advance(20_000);
    expect(server.outcomes).toEqual([]);
    expect(server.node.stats().timers).toBe(0);
  });

  it('has 15 s to be whole, however busy it is', async () => {
    server = await BodyServer.start();
    const [silent, busy] = [await server.connect(), await server.connect()];
    await silent.sent(post(10));
    await busy.sent(post(1000));
    await eventually('both are read', () => server.node.stats().timers === 2);
    for (let second = 0; second < 14; second++) {
      await busy.sent('x');
      await server.clock.advance(1000);
    }
    expect(server.outcomes).toEqual([]);
    await server.clock.advance(1200);
    expect(server.outcomes).toEqual(['too_slow', 'too_slow']);
    expect(server.heldBytes).toBe(0);
  });
});

describe('the bodies under way', () => {
  it('hold no more than the budget together; the next byte is refused, and room is room again', async () => {
    server = await BodyServer.start();
    const [first, second, third] = [await server.connect(), await server.connect(), await server.connect()];
    await first.sent(Buffer.concat([post(100_000), Buffer.alloc(90_000)]));
    await eventually('the first is held', () => server.heldBytes >= 90_000);
    await second.sent(Buffer.concat([post(100_000), Buffer.alloc(90_000)]));
    await eventually('the second is refused', () => server.outcomes.length === 1);
    expect(server.outcomes).toEqual(['no_room']);
    expect(server.heldBytes).toBeLessThanOrEqual(100_000);
    await first.sent(Buffer.alloc(10_000));
    await eventually('the first is whole', () => server.outcomes.length === 2);
    await third.sent(rawRequest({ method: 'POST', body: 'y'.repeat(60_000) }));
    await eventually('its memory is still held', () => server.outcomes.length === 3);
    expect(server.outcomes.at(-1)).toBe('no_room');
    server.release();
    const fourth = await server.connect();
    await fourth.sent(rawRequest({ method: 'POST', body: 'y'.repeat(60_000) }));
    await eventually('there is room', () => server.outcomes.length === 4);
    expect(server.outcomes.at(-1)).toBe('60000 bytes');
  });

  it('without a credential get half of it', async () => {
    server = await BodyServer.start({ ...RULE, anonymous: true });
    const socket = await server.connect();
    await socket.sent(Buffer.concat([post(90_000), Buffer.alloc(80_000)]));
    await eventually('the refusal', () => server.outcomes.length === 1);
    expect(server.outcomes).toEqual(['no_room']);
    const smaller = await server.connect();
    await smaller.sent(rawRequest({ method: 'POST', body: 'y'.repeat(70_000) }));
    await eventually('the smaller one', () => server.outcomes.length === 2);
    expect(server.outcomes.at(-1)).toBe('70000 bytes');
  });
});

describe('bodies that never end', () => {
  it.each([
    ['with', false, BUDGET],
    ['without', true, BUDGET / 2],
  ])('leave a sixteenth to those that come whole, %s a credential', async (_credential, anonymous, share) => {
    server = await BodyServer.start({ ...RULE, anonymous });
    const beginning = Buffer.concat([post(1024), Buffer.alloc(1000)]);
    for (let refused = 0; refused < 3; refused = server.outcomes.length) {
      const peer = await server.connect();
      const { heldBytes } = server;
      await peer.sent(beginning);
      await eventually(
        'it is held, or refused',
        () => server.heldBytes > heldBytes || server.outcomes.length > refused,
      );
    }
    expect(server.outcomes).toEqual(['no_room', 'no_room', 'no_room']);
    expect(server.heldBytes).toBeGreaterThan(0.9 * share);
    expect(server.heldBytes).toBeLessThanOrEqual((15 / 16) * share);
    const whole = await server.connect();
    await whole.sent(rawRequest({ method: 'POST', body: 'y'.repeat(share / 20) }));
    await eventually('the whole one', () => server.outcomes.length === 4);
    expect(server.outcomes.at(-1)).toBe(`${share / 20} bytes`);
  });
});

describe('a body that a parser read before', () => {
  const consume = async (request: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };
  it.each([
    ['rawBody as bytes', (text: string) => ({ rawBody: Buffer.from(text), body: 7 }), ['{"n":1.0}']],
    ['rawBody as text', (text: string) => ({ rawBody: text }), ['{"n":1.0}']],
    ['body as bytes', (text: string) => ({ body: new Uint8Array(Buffer.from(text)) }), ['{"n":1.0}']],
    ['body as text', (text: string) => ({ body: text }), ['{"n":1.0}']],
    [
      'body as a value, written back',
      (text: string) => ({ body: JSON.parse(text) }),
      ['rewritten', '{"n":1}'],
    ],
    ['nowhere', () => ({}), ['read_elsewhere']],
    ['as something that is not JSON', () => ({ body: 1n }), ['read_elsewhere']],
  ])('is taken from %s', async (_title, leave, expected) => {
    server = await BodyServer.start(RULE, async request => {
      Object.assign(request, leave(await consume(request)));
    });
    const socket = await server.connect();
    await socket.sent(rawRequest({ method: 'POST', body: '{"n":1.0}' }));
    await socket.response();
    expect(server.outcomes).toEqual(expected);
  });

  it('has the same limit; a parser that took a part of it, or made text of it, is not waited for', async () => {
    server = await BodyServer.start({ ...RULE, limit: 5 }, async request => {
      Object.assign(request, { body: await consume(request) });
    });
    const socket = await server.connect();
    await socket.sent(rawRequest({ method: 'POST', body: '{"n":1.0}' }));
    await socket.response();
    expect(server.outcomes).toEqual(['too_large']);
    await server.stop();

    server = await BodyServer.start(
      RULE,
      request =>
        new Promise(resolve => {
          request.once('data', () => {
            request.pause();
            resolve();
          });
        }),
    );
    const partly = await server.connect();
    await partly.sent(Buffer.concat([post(5), Buffer.from('ab')]));
    await partly.response();
    await server.stop();
    const before = server.outcomes;

    server = await BodyServer.start(RULE, request => void request.setEncoding('utf8'));
    const decoded = await server.connect();
    await decoded.sent(rawRequest({ method: 'POST', body: 'ab' }));
    await decoded.response();
    expect([before, server.outcomes]).toEqual([['read_elsewhere'], ['read_elsewhere']]);
  });
});
