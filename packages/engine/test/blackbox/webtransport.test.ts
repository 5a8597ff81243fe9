import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type NodeOptions,
  RealtimeNode,
  rwebtransport,
  WebTransportEndpoint,
  type WebTransportOptions,
  type WebTransportUnavailable,
} from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import { type Encoding, type Reply, ReplyStream } from '@msg/protocol';
import { Browser, eventually, ShortLivedCertificate } from '@msg/testkit';
import { WebTransport, WebTransportServer } from 'rwebtransport';
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { OPEN_POLICY } from '../harness.ts';

const certificate = new ShortLivedCertificate();
const { certFile, keyFile } = certificate;
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => certificate.remove());

/** A node with a listener; `seen` is what the listener reported of sessions that ended. */
async function listen(
  options: Partial<WebTransportOptions> = {},
  nodeOptions: Partial<NodeOptions> = {},
): Promise<{ node: RealtimeNode; endpoint: WebTransportEndpoint; url: string; seen: [string, number][] }> {
  const node = new RealtimeNode({ policy: OPEN_POLICY, ...nodeOptions });
  await node.start();
  const seen: [string, number][] = [];
  const endpoint = await WebTransportEndpoint.listen(node, rwebtransport, {
    host: '127.0.0.1',
    port: 0,
    certFile,
    keyFile,
    onEnd: ({ path }, status) => seen.push([path, status]),
    ...options,
  });
  ends.push(async () => {
    await node.shutdown({ graceMs: 100 });
    await endpoint.close();
  });
  return { node, endpoint, url: `https://127.0.0.1:${endpoint.port}/connection/webtransport`, seen };
}

/** A client that says exactly what a test wants it to. */
class Client {
  readonly transport: WebTransport;
  readonly replies: Reply[] = [];
  ended = false;
  closed: { closeCode?: number; reason?: string } | 'failed' | null = null;
  #writer!: WritableStreamDefaultWriter<Uint8Array>;
  #reader!: ReadableStreamDefaultReader<Uint8Array>;
  #reading = true;
  readonly #replies: ReplyStream;

  constructor(url: string, encoding: Encoding = 'json') {
    this.#replies = new ReplyStream(encoding);
    const value = certificate.hash;
    this.transport = new WebTransport(url, { serverCertificateHashes: [{ algorithm: 'sha-256', value }] });
    this.transport.closed.then(
      info => {
        this.closed = info;
      },
      () => {
        this.closed = 'failed';
      },
    );
    ends.push(async () => this.transport.close());
  }

  static async open(url: string, encoding?: Encoding): Promise<Client> {
    const client = new Client(url, encoding);
    await client.transport.ready;
    const { readable, writable } = await client.transport.createBidirectionalStream();
    client.#writer = writable.getWriter();
    client.#reader = readable.getReader();
    void client.#read();
    return client;
  }

  static async connected(url: string): Promise<Client> {
    const client = await Client.open(url);
    await client.send('{"id":1,"connect":{}}\n');
    await client.until(() => client.replies.length === 1);
    return client;
  }

  send(bytes: string | Uint8Array): Promise<void> {
    return this.#writer.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  }

  finish(): Promise<void> {
    return this.#writer.close();
  }

  pause(): void {
    this.#reading = false;
  }

  until(holds: () => boolean): Promise<void> {
    return eventually(`it holds of ${this.replies.length} replies`, holds);
  }

  get disconnect(): unknown {
    return this.replies.at(-1)?.push?.disconnect ?? null;
  }

  async #read(): Promise<void> {
    try {
      while (this.#reading) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.#replies.push(value);
        for (let reply = this.#replies.next(); reply !== null; reply = this.#replies.next())
          this.replies.push(reply);
      }
    } catch {
      // the session is over
    }
    this.ended = this.#reading;
  }
}

const none = (node: RealtimeNode) => eventually('nothing is left', () => node.stats().connections === 0);

/** What the native part of the stack reports. */
interface NativeEvent {
  readonly type: string;
  readonly session?: number;
  readonly message?: string;
}

describe('a WebTransport session', () => {
  test('that a peer ends by an error of QUIC ends nothing else', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const prototype = WebTransportServer.prototype as unknown as { onEvent(event: NativeEvent): void };
    const reported = vi.spyOn(prototype, 'onEvent');
    onTestFinished(() => {
      process.off('unhandledRejection', note);
      reported.mockRestore();
    });
    const { node, url, seen } = await listen();
    await new Client(url).transport.ready; // no stream yet
    await Client.open(url);
    await Client.connected(url);
    const stack = reported.mock.contexts[0] as typeof prototype;
    const opened = reported.mock.calls.map(([event]) => event).filter(({ type }) => type === 'serverReady');
    expect(opened.length).toBe(3);
    // No client of ours can send such a CONNECTION_CLOSE; this is how the stack learns of one.
    const message = 'connection terminated by peer transport error 0xa';
    for (const { session } of opened) stack.onEvent({ type: 'error', session: session as number, message });
    await eventually('the ends are reported', () => seen.length === 3);
    await none(node);
    expect(unhandled).toEqual([]);
    const after = await Client.connected(url);
    expect(after.replies[0]?.connect?.client).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is served on its path only', async () => {
    const { url, seen } = await listen();
    const stray = new Client(`${new URL(url).origin}/connection/websocket?secret=1`);
    await stray.until(() => stray.closed !== null);
    await eventually('it is told', () => seen.length === 1);
    expect(seen).toEqual([['/connection/websocket?secret=1', 404]]);
  });

  test('is asked for its origin: its host counts, its port does not', async () => {
    const page = createServer((_request, response) => response.end('<!doctype html>')).listen(0, '127.0.0.1');
    await once(page, 'listening');
    const { port } = page.address() as AddressInfo; // listening on TCP
    const browser = await Browser.start();
    ends.push(async () => {
      await browser.stop();
      await new Promise(resolve => page.close(resolve));
    });
    const open = await listen();
    const closed = await listen({ allowOrigin: ({ origin }) => origin === 'https://app.example' });
    const tab = await browser.page();
    /** What the server says to a page of that host. */
    const answer = async (host: string, url: string) => {
      await tab.goto(`http://${host}:${port}/`);
      return tab.evaluate(
        async ([address, hash]) => {
          const value = Uint8Array.from(atob(hash ?? ''), character => character.charCodeAt(0));
          const options = { serverCertificateHashes: [{ algorithm: 'sha-256', value }] };
          // The page's own: the name of the import means another.
          const { WebTransport: Native } = globalThis as unknown as { WebTransport: typeof WebTransport };
          const transport = new Native(address ?? '', options);
          await transport.ready;
          const speak = async () => {
            const { readable, writable } = await transport.createBidirectionalStream();
            await writable.getWriter().write(new TextEncoder().encode('{"id":1,"connect":{}}\n'));
            return readable.getReader().read();
          };
          const ended = transport.closed.then(() => null);
          return Promise.race([speak(), ended]).then(
            result => (result?.value === undefined ? 'closed' : 'connected'),
            () => 'closed',
          );
        },
        [url, Buffer.from(certificate.hash).toString('base64')],
      );
    };
    expect(await answer('127.0.0.1', open.url)).toBe('connected');
    expect(await answer('localhost', open.url)).toBe('closed');
    expect(await answer('127.0.0.1', closed.url)).toBe('closed');
    await eventually('they are told', () => closed.seen.length === 1);
    expect(closed.seen[0]?.[1]).toBe(403);
  });

  test('without a stream is closed after 10 s', async () => {
    const clock = new ManualClock();
    const { url } = await listen({ clock });
    const client = new Client(url);
    await client.transport.ready;
    await eventually('the server waits', () => clock.pending === 1);
    await clock.advance(9_999);
    expect(client.closed).toBeNull();
    await clock.advance(1);
    await client.until(() => client.closed !== null);
    expect(clock.pending).toBe(0);
  });

  test('takes commands however they are cut', async () => {
    const { url, node } = await listen();
    const client = await Client.open(url);
    const commands =
      '{"id":1,"connect":{}}\n{"id":2,"subscribe":{"channel":"nä"}}\n{"id":3,"rpc":{"data":"世界"}}\n';
    for (const byte of Buffer.from(commands)) await client.send(Uint8Array.of(byte));
    await client.until(() => client.replies.length === 3);
    await client.send('{"id":4,"rpc":{"data":1}}\n{"id":5,"rpc":{"data":2}}\n{"id":6,');
    await client.send('"rpc":{"data":3}}\n');
    await client.until(() => client.replies.length === 6);
    expect(client.replies.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    await node.publish('nä', Buffer.from('{"n":1}'));
    await client.until(() => client.replies.length === 7);
    expect(client.replies[6]?.push).toMatchObject({ channel: 'nä', pub: { offset: 1 } });
  });

  test('carries no session or node: commands come over the stream', async () => {
    const { url } = await listen();
    const client = await Client.connected(url);
    expect(client.replies[0]?.connect).toMatchObject({ session: '', node: '', ping: 25, pong: true });
  });

  test('speaks Protobuf when its address says so', async () => {
    const { url } = await listen();
    const client = await Client.open(`${url}?cf_protocol=protobuf`, 'protobuf');
    // length 4: command {id: 1, connect: {}}
    for (const byte of [4, 0x08, 1, 0x22, 0]) await client.send(Uint8Array.of(byte));
    await client.until(() => client.replies.length === 1);
    expect(client.replies[0]).toMatchObject({ id: 1, connect: { version: 'dev' } });
  });

  test('takes a command of 64 KiB and refuses a longer one with 3501', async () => {
    const { url } = await listen();
    const client = await Client.connected(url);
    const empty = '{"id":2,"rpc":{"data":""}}'.length;
    const command = (size: number) => `{"id":2,"rpc":{"data":"${'x'.repeat(size - empty)}"}}\n`;
    await client.send(command(65_536));
    await client.until(() => client.replies.length === 2);
    expect(client.replies[1]).toMatchObject({ id: 2 });
    await client.send(command(65_537));
    await client.until(() => client.closed !== null);
    expect(client.disconnect).toMatchObject({ code: 3501, reason: 'bad request' });
  });

  test.each([
    ['garbage', 'json', Buffer.from('garbage\n')],
    ['a blank line', 'json', Buffer.from('\n')],
    ['a line without end', 'json', Buffer.alloc(70_000, 0x61)],
    ['a Protobuf length without end', 'protobuf', Buffer.alloc(10, 0xff)],
    ['a Protobuf length above the limit', 'protobuf', Buffer.of(0x81, 0x80, 0x04)],
    ['Protobuf garbage', 'protobuf', Buffer.of(2, 0xff, 0xff)],
  ] as const)('ends with 3501 after %s', async (_, encoding, bytes) => {
    const { url, node } = await listen();
    const client = await Client.open(`${url}?cf_protocol=${encoding}`, encoding);
    await client.send(bytes);
    await client.until(() => client.ended);
    expect(client.disconnect).toMatchObject({ code: 3501, reason: 'bad request' });
    await none(node);
  });

  test('ends with a push, then the end of the stream, a second later with code and reason', async () => {
    const clock = new ManualClock();
    const { url, node } = await listen({ clock });
    const client = await Client.connected(url);
    for (const peer of node.clients()) peer.disconnect(4500, 'enough');
    await client.until(() => client.ended);
    expect(client.disconnect).toMatchObject({ code: 4500, reason: 'enough' });
    await eventually('only the pause is left', () => clock.pending === 1);
    await clock.advance(999);
    expect(client.closed).toBeNull();
    await clock.advance(1);
    await client.until(() => client.closed !== null);
    expect(client.closed).toEqual({ closeCode: 4500, reason: 'enough' });
    expect(clock.pending).toBe(0);
  });

  test('of a draining node opens and ends with 3001', async () => {
    const { url, node } = await listen();
    const stopping = node.shutdown({ graceMs: 5000 });
    const client = await Client.open(url);
    await client.send('{"id":1,"connect":{}}\n').catch(() => {});
    await client.until(() => client.ended);
    expect(client.disconnect).toMatchObject({ code: 3001, reason: 'shutdown' });
    await stopping;
  });

  test('whose client ends its half is over', async () => {
    const { url, node } = await listen();
    const client = await Client.connected(url);
    await client.finish();
    await none(node);
  });

  test('whose client reads nothing is cut with 3008 or 3009 and frees what waited', async () => {
    const { url, node } = await listen();
    const client = await Client.connected(url);
    await client.send('{"id":2,"subscribe":{"channel":"flood"}}\n');
    await client.until(() => client.replies.length === 2);
    client.pause();
    const large = Buffer.from(JSON.stringify('x'.repeat(60_000)));
    await eventually(
      'it is cut',
      async () => {
        for (let n = 0; n < 20; n++) await node.publish('flood', large);
        return node.stats().connections === 0;
      },
      15_000,
    );
    await eventually('nothing waits', () => node.stats().queueBytes === 0);
  });

  test('hundreds that are aborted at any moment leave nothing', async () => {
    const { url, node, seen } = await listen();
    for (let round = 0; round < 10; round++) {
      const clients = Array.from({ length: 20 }, () => new Client(url));
      await Promise.all(
        clients.map(async ({ transport }, at) => {
          await transport.ready;
          if (at % 3 === 0) return transport.close();
          const { writable } = await transport.createBidirectionalStream();
          const writer = writable.getWriter();
          await writer.write(Buffer.from(at % 3 === 1 ? '{"id":1,"conn' : '{"id":1,"connect":{}}\n'));
          return transport.close();
        }),
      );
    }
    await eventually('all are over', () => seen.length === 200);
    await none(node);
  });
});

describe('a listener that cannot be had', () => {
  const fault = async (options: Partial<WebTransportOptions>): Promise<string> => {
    const error = await listen(options).then(
      () => null,
      (error: WebTransportUnavailable) => error,
    );
    return `${error?.reason}: ${error?.message}`;
  };

  test('says what is wrong with the certificate', async () => {
    const other = new ShortLivedCertificate();
    try {
      const missing = `${certFile}.missing`;
      expect(await fault({ certFile: missing })).toMatch(
        /^bad_certificate: .*missing cannot be read: ENOENT/,
      );
      expect(await fault({ keyFile: missing })).toMatch(/^bad_certificate: .*missing cannot be read: ENOENT/);
      expect(await fault({ certFile: keyFile })).toBe(`bad_certificate: ${keyFile} holds no PEM certificate`);
      expect(await fault({ keyFile: certFile })).toBe(
        `bad_certificate: ${certFile} holds no PEM private key`,
      );
      expect(await fault({ keyFile: other.keyFile })).toBe(
        `bad_certificate: ${other.keyFile} is not the key of ${certFile}`,
      );
      writeFileSync(other.certFile, 'nonsense');
      expect(await fault({ certFile: other.certFile })).toMatch(/holds no PEM certificate$/);
    } finally {
      other.remove();
    }
  });

  test('says that the port is taken or the host does not exist', async () => {
    const { endpoint } = await listen();
    expect(await fault({ port: endpoint.port })).toMatch(
      /^cannot_listen: cannot listen on UDP 127\.0\.0\.1:\d+: .*in use/,
    );
    expect(await fault({ host: 'nowhere.invalid' })).toMatch(
      /^cannot_listen: .*nowhere\.invalid: no such host$/,
    );
  });

  test.each(['', 'localhost', '::1', '0.0.0.0'])('but one on %j can', async host => {
    const { endpoint } = await listen({ host });
    expect(endpoint.port).toBeGreaterThan(0);
  });
});
