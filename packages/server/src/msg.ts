import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Credentials, createEnvelope, type Envelope, type ManifestPayload, MsgError } from '@msg/core';
import { type Clock, RealtimeNode, systemClock, systemRandom, WebSocketTransport } from '@msg/engine';
import { Authorizer } from './access/authorizer.ts';
import { BearerCheck } from './access/bearer.ts';
import type { LifecycleSubscription } from './channels/lifecycle-feed.ts';
import { ChannelManager } from './channels/manager.ts';
import { type CreatePrivateRequest, PrivateChannels } from './channels/private-channels.ts';
import type { ChannelRecord } from './channels/record.ts';
import { MemoryChannelRegistry } from './channels/registry/memory.ts';
import { sendJson, sendText } from './http/answer.ts';
import { pathOf } from './http/exchange.ts';
import { manifestPayload } from './http/manifest.ts';
import { Router } from './http/router.ts';
import { Keyring } from './keys/keyring.ts';
import { FileKeyringStore } from './keys/store/file.ts';
import { errorFields, type Logger, silentLogger } from './observability/logger.ts';
import { channelRules, DEFAULT_SWEEP_INTERVAL_MS, type MsgOptions, SHUTDOWN_GRACE_MS } from './options.ts';
import { Periodic } from './periodic.ts';
import { endChannel } from './realtime/bridge.ts';
import { ChannelOptionRules } from './realtime/channel-options.ts';
import { RealtimePolicy } from './realtime/policy.ts';
import { type PublishAck, type PublishExtras, Publisher } from './realtime/publisher.ts';
import { channelHandlers } from './rpc/channels.ts';
import { publishHandlers } from './rpc/publishing.ts';
import { TwirpRoutes } from './rpc/twirp.ts';
import { DEFAULT_ACCESS_TTL_MS, MAX_REFRESH_TTL_MS, PairIssuer } from './tokens/issuer.ts';
import { ManagementIssuer, type ManagementToken } from './tokens/management.ts';
import { TokenSigner } from './tokens/signer.ts';
import { TokenVerifier } from './tokens/verifier.ts';
import { VERSION } from './version.ts';

const WEBSOCKET_PATH = '/connection/websocket';
const NO_LIMIT = { rate: 0, per: '0s', burst: 0 };

/**
 * One messaging service: channels, tokens, keys, the realtime node and the HTTP surface over them. Several can live
 * in one process. Create it, mount {@link handler} and {@link attach} on a server, then {@link run} it.
 * Source: messaging details, section 21.
 */
export class Msg {
  /** The signing keys. */
  readonly keyring: Keyring;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #version: string;
  readonly #channels: ChannelManager;
  readonly #privateChannels: PrivateChannels;
  readonly #publisher: Publisher;
  readonly #node: RealtimeNode;
  readonly #websocket: WebSocketTransport;
  readonly #management: ManagementIssuer;
  readonly #sweeper: Periodic;
  readonly #router: Router;
  readonly #ready = Promise.withResolvers<void>();
  #phase: 'created' | 'running' | 'ended' = 'created';

  private constructor(options: MsgOptions, keyring: Keyring) {
    this.keyring = keyring;
    const clock = options.clock ?? systemClock;
    const random = options.random ?? systemRandom;
    this.#clock = clock;
    this.#logger = options.logger ?? silentLogger;
    this.#version = options.version ?? VERSION;
    this.#ready.promise.catch(() => {}); // whoever waits gets the failure; nobody waiting is fine too
    const onError = (error: unknown) => this.#logger.error(errorFields(error), 'internal failure');

    const verifier = new TokenVerifier({ keyring, clock });
    const signer = new TokenSigner(keyring, random);
    this.#management = new ManagementIssuer(signer, clock);
    const rules = new ChannelOptionRules(channelRules(options));
    this.#channels = new ChannelManager({
      registry: new MemoryChannelRegistry(),
      clock,
      onDeleted: name => endChannel(this.#node, name),
    });
    this.#privateChannels = new PrivateChannels(
      this.#channels,
      new PairIssuer({
        signer,
        clock,
        accessTtlMs: options.accessTokenTTL ?? DEFAULT_ACCESS_TTL_MS,
        maxRefreshTtlMs: options.maxRefreshTokenTTL ?? MAX_REFRESH_TTL_MS,
      }),
    );
    const isRevoked = async () => false;
    const policy = new RealtimePolicy({
      channels: this.#channels,
      verifier,
      authorizer: new Authorizer(this.#channels, verifier, isRevoked),
      options: rules,
      limits: { subscribe: async () => {}, publish: async () => {} },
      onError,
    });
    this.#node = new RealtimeNode({ policy, version: this.#version, clock, random, onError });
    this.#websocket = new WebSocketTransport(this.#node);
    this.#publisher = new Publisher(this.#node, this.#channels, rules);
    this.#sweeper = new Periodic(
      clock,
      options.sweepInterval ?? DEFAULT_SWEEP_INTERVAL_MS,
      () => this.#channels.sweep(),
      onError,
    );
    const rpc = new TwirpRoutes({
      bearer: new BearerCheck(verifier, options.noAuth ?? false),
      isRevoked,
      handlers: {
        Manifest: () => this.manifest(),
        ...channelHandlers(this.#channels, this.#privateChannels),
        ...publishHandlers(this.#publisher),
      },
      onError,
    });
    this.#router = new Router({
      routes: [
        { path: '/healthz', methods: { GET: ({ response }) => this.#healthz(response) } },
        { path: '/manifest', methods: { GET: ({ response }) => sendJson(response, 200, this.manifest()) } },
      ],
      rpc,
      peerOf: request => request.socket.remoteAddress ?? '',
      onError,
    });
  }

  /**
   * Builds a service; its keyring is loaded, or created where there is none, and nothing runs yet.
   * @throws MsgError MSG_INVALID_ARGUMENT for bad options; KeyringFormatError for a keyring that cannot be read.
   */
  static async create(options: MsgOptions = {}): Promise<Msg> {
    const store =
      options.keyRingStore ?? (options.stateDir ? new FileKeyringStore(options.stateDir) : undefined);
    const keyring = await Keyring.open({
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      ...(options.keyRing === undefined ? (store === undefined ? {} : { store }) : { ring: options.keyRing }),
    });
    return new Msg(options, keyring);
  }

  /**
   * Runs the service until the signal is aborted, then drains it: clients are told to reconnect elsewhere (3001) and
   * get 5 s to go. Resolves when everything has stopped.
   * @throws MsgError MSG_BROKER_INTERNAL when it ran before or cannot start.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== 'created') throw new MsgError('MSG_BROKER_INTERNAL', 'a service runs once');
    this.#phase = 'running';
    try {
      await this.#node.start();
    } catch (cause) {
      const error = new MsgError('MSG_BROKER_INTERNAL', 'the broker could not start', { cause });
      this.#ready.reject(error);
      throw error;
    }
    this.#sweeper.start();
    this.#ready.resolve();
    await aborted(signal);
    this.#phase = 'ended';
    await this.#sweeper.stop();
    await this.#node.shutdown({ graceMs: SHUTDOWN_GRACE_MS });
    this.#channels.close();
  }

  /** Resolves once publishing is safe. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** The request listener of the HTTP surface, for mounting in a `node:http` server. */
  handler(): (request: IncomingMessage, response: ServerResponse) => void {
    return (request, response) => this.#router.handle(request, response);
  }

  /** Takes over websocket upgrades on the service's path; upgrades elsewhere are left to other listeners. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (pathOf(request.url) === WEBSOCKET_PATH) this.#websocket.handleUpgrade(request, socket, head);
      else if (server.listenerCount('upgrade') === 1) {
        socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      }
    });
  }

  #healthz(response: ServerResponse): void {
    const running = this.#phase === 'running' && this.#node.accepting;
    sendText(response, running ? 200 : 503, running ? 'ok' : 'starting');
  }

  /** The descriptor of the service (messaging details 3.2). */
  manifest(): Envelope<ManifestPayload> {
    const payload = manifestPayload({
      version: this.#version,
      activeKeyId: this.keyring.active.id,
      transports: ['websocket'],
      rateLimits: { publish: NO_LIMIT, subscribe: NO_LIMIT, token_issue: NO_LIMIT },
      revocationStore: false,
    });
    return createEnvelope('msg.manifest', payload, this.#clock.now());
  }

  /** Opens, reopens or refreshes a public channel; `ttlMs` 0 or absent means 30 min. See {@link ChannelManager}. */
  openPublic(name: string, ttlMs?: number): Promise<ChannelRecord> {
    return this.#channels.openPublic(name, ttlMs);
  }

  /** Creates a private channel and its first tokens. See {@link PrivateChannels.create}. */
  createPrivate(request: CreatePrivateRequest): Promise<Credentials> {
    return this.#privateChannels.create(request);
  }

  /** @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  get(name: string): Promise<ChannelRecord> {
    return this.#channels.get(name);
  }

  /** Open and closed channels, sorted by name. */
  list(): Promise<readonly ChannelRecord[]> {
    return this.#channels.list();
  }

  /** @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  delete(name: string): Promise<void> {
    return this.#channels.delete(name);
  }

  /** Counts as activity of an open channel. @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED */
  touch(name: string): Promise<void> {
    return this.#channels.touch(name);
  }

  /** Lifecycle events, with a buffer of that many; a full buffer drops. */
  events(buffer: number): LifecycleSubscription {
    return this.#channels.events(buffer);
  }

  /** Publishes bytes. See {@link Publisher.publish}. */
  publish(name: string, data: Uint8Array, extras?: PublishExtras): Promise<PublishAck> {
    return this.#publisher.publish(name, data, extras);
  }

  /** Live subscriptions of a channel. */
  presence(name: string): Promise<number> {
    return this.#publisher.presence(name);
  }

  /** A management token; lifetime clamped to 1 h … 7 d, 0 means 24 h. */
  issueMgmt(subject: string, ttlMs: number): ManagementToken {
    return this.#management.issue(subject, ttlMs);
  }

  /** The management token printed at boot; its lifetime is not clamped. */
  bootstrapToken(subject: string, ttlMs: number): ManagementToken {
    return this.#management.bootstrap(subject, ttlMs);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
