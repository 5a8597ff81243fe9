import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type MsgServer, ShortLivedCertificate, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import type { Centrifuge, Options, TransportEndpoint } from 'centrifuge';
import { Centrifuge as ProtobufClient } from 'centrifuge/build/protobuf';
import {
  BrowserLikeEventSource,
  browserLikeFetch,
} from '../../../packages/engine/test/stock/browser-like-http.ts';
import { ChromiumTransports } from '../../../packages/engine/test/stock/chromium-transport.ts';
import type { Stock } from '../../../packages/engine/test/stock/stock-clients.ts';
import { manifestOf, rpcOf } from '../../../packages/server/test/support/rpc.ts';
import type { Payload } from './payloads.ts';

/** Publications that are on their way at a time. */
const BATCH = 500;
/** How long a client waits for a reply: a whole batch may be before its command, each a round to Redis. */
const REPLY_MS = 30_000;
/** A command of a client is smaller than this. */
const COMMAND_BYTES = 32_768;

const config = (historySize: number): string => `
server: { allowed_origins: [loopback] }
channels:
  rules:
    - { pattern: "public:bytes.*", history_size: ${historySize}, history_ttl: 10m }
    - { pattern: public:bytes.delta, delta: true }
    - { pattern: public:bytes.cache, recovery: cache }
`;

type Publisher = Pick<Centrifuge, 'publish' | 'disconnect'>;

export interface BytesServiceOptions {
  readonly historySize: number;
  readonly redis?: boolean;
  readonly webtransport?: boolean;
}

/** `msg serve` with all transports, and a Protobuf client that may publish. */
export class BytesService {
  readonly #server: MsgServer;
  readonly #folder: string;
  readonly #redis: RedisServer | undefined;
  readonly #certificate: ShortLivedCertificate | undefined;
  readonly #chromium: ChromiumTransports | undefined;
  readonly #webtransportPort: number;
  readonly #publisher: Publisher;

  static async start({ historySize, redis, webtransport }: BytesServiceOptions): Promise<BytesService> {
    const folder = await mkdtemp(join(tmpdir(), 'msg-bytes-'));
    await writeFile(join(folder, 'msg.yaml'), config(historySize));
    const certificate = webtransport === true ? new ShortLivedCertificate() : undefined;
    const store = redis === true ? await RedisServer.start() : undefined;
    const server = await startMsg({
      args: [
        ...['--config', join(folder, 'msg.yaml')],
        ...(store === undefined ? [] : ['--redis-addr', store.address]),
        ...(certificate === undefined
          ? []
          : [
              ...['--webtransport-addr', '127.0.0.1:0'],
              ...['--webtransport-cert', certificate.certFile, '--webtransport-key', certificate.keyFile],
            ]),
      ],
    });
    const chromium = certificate === undefined ? undefined : await ChromiumTransports.start(certificate.hash);
    const { webtransport_port: port = 0 } = await manifestOf(server.url);
    const { body } = await rpcOf(server.url, server.token)('CreatePrivate', {
      name: 'private:bytes.publisher.1',
      subject: 'publisher',
      scopes: [{ pattern: 'public:bytes.*', verbs: ['publish'] }],
    });
    const token = String(body['access_token']);
    const publisher = new ProtobufClient(server.websocketUrl, { token, timeout: REPLY_MS });
    publisher.connect();
    await publisher.ready(30_000);
    return new BytesService(server, folder, publisher, port, store, certificate, chromium);
  }

  private constructor(
    server: MsgServer,
    folder: string,
    publisher: Publisher,
    webtransportPort: number,
    redis: RedisServer | undefined,
    certificate: ShortLivedCertificate | undefined,
    chromium: ChromiumTransports | undefined,
  ) {
    this.#server = server;
    this.#folder = folder;
    this.#publisher = publisher;
    this.#webtransportPort = webtransportPort;
    this.#redis = redis;
    this.#certificate = certificate;
    this.#chromium = chromium;
    // Where the client looks for it.
    if (chromium !== undefined) Object.assign(globalThis, { WebTransport: chromium.constructorForClients });
  }

  get url(): string {
    return this.#server.url;
  }

  async open(channel: string): Promise<void> {
    await rpcOf(this.url, this.#server.token)('OpenPublic', { name: channel, ttl_seconds: 3600 });
  }

  /** Publishes as a Protobuf client does, what is too large for one by RPC; `taken` waits until listeners follow. */
  async publish(
    channel: string,
    payloads: readonly Payload[],
    taken: (count: number) => Promise<void>,
  ): Promise<void> {
    const rpc = rpcOf(this.url, this.#server.token);
    const batch: Promise<unknown>[] = [];
    const settle = async (count: number): Promise<void> => {
      await Promise.all(batch.splice(0));
      await taken(count);
    };
    for (const [index, { bytes }] of payloads.entries()) {
      if (bytes.length < COMMAND_BYTES) batch.push(this.#publisher.publish(channel, bytes));
      else {
        await settle(index);
        await this.#drained();
        const { status } = await rpc('Publish', { name: channel, data: bytes.toString('base64') });
        if (status !== 200) throw new Error(`Publish answered ${status}`);
        await settle(index + 1);
      }
      if (batch.length === BATCH) await settle(index + 1);
    }
    await settle(payloads.length);
  }

  /** A client over one transport, not yet connected. */
  client({ transport, Client, websocket }: Stock): Centrifuge {
    const options: Partial<Options> = {
      ...(websocket === null ? {} : { websocket }),
      timeout: REPLY_MS,
      ...(transport === 'websocket' ? {} : this.#streaming),
    };
    if (transport === 'websocket') return new Client(this.#server.websocketUrl, options);
    const endpoint =
      transport === 'webtransport'
        ? `https://127.0.0.1:${this.#webtransportPort}/connection/webtransport`
        : `${this.url}/connection/${transport}`;
    const endpoints: TransportEndpoint[] = [{ transport, endpoint }];
    return new Client(endpoints, options);
  }

  async stop(): Promise<void> {
    this.#publisher.disconnect();
    await this.#chromium?.stop();
    await this.#server.stop();
    await this.#redis?.stop();
    this.#certificate?.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Nothing waits for any reader: more than 1 MiB may only wait alone. */
  #drained(): Promise<void> {
    return eventually('nothing waits', async () => {
      const metrics = await (await fetch(`${this.url}/metrics`)).text();
      return /^msg_queue_bytes 0$/m.test(metrics);
    });
  }

  /** What the runtime of a browser gives to clients that stream over HTTP. */
  get #streaming(): Partial<Options> {
    return {
      fetch: browserLikeFetch,
      readableStream: ReadableStream,
      eventsource: class extends BrowserLikeEventSource {
        constructor(url: string) {
          super(url);
        }
      },
      emulationEndpoint: `${this.url}/emulation`,
    };
  }
}
