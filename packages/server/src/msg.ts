import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  type Credentials,
  createEnvelope,
  type Envelope,
  type KeySummary,
  type ManifestPayload,
  MsgError,
  type RefreshTokenResponse,
} from '@msg/core';
import { defined } from '@msg/foundation/json';
import { type KeyringDocument, keySetDocument } from './auth/keys/document.ts';
import type { TokenClaims, TokenType } from './auth/tokens/claims.ts';
import type { ManagementToken } from './auth/tokens/management.ts';
import type { LifecycleSubscription } from './channels/lifecycle-feed.ts';
import type { CreatePrivateRequest } from './channels/private-channels.ts';
import type { ChannelRecord } from './channels/record.ts';
import { HttpEndpoints } from './http/endpoints.ts';
import type { Readiness } from './http/health.ts';
import { type ManifestFacts, manifestPayload } from './http/manifest.ts';
import { UpgradeListener } from './http/upgrade-listener.ts';
import type { DeadLetters } from './notify/dead-letters/dead-letters.ts';
import type { SinkMessage } from './notify/sinks/contract.ts';
import type { PublishOrSinkResult } from './notify/sinks/publish-or-sink.ts';
import type { SinkRegistry } from './notify/sinks/registry.ts';
import type { PublishAck, PublishExtras } from './realtime/publisher.ts';
import { readSchemasFile } from './schemas/file.ts';
import type { SchemaRegistry } from './schemas/registry.ts';
import { BackgroundWork } from './service/background.ts';
import { compose, type Service } from './service/compose.ts';
import { type MsgOptions, SHUTDOWN_GRACE_MS, SINK_GRACE_MS } from './service/options.ts';
import { open, type Resources, release } from './service/resources.ts';

/**
 * One messaging service: channels, tokens, keys, the realtime node and the HTTP surface over them. Several can live
 * in one process. Create it, mount {@link Msg.handler} and {@link Msg.attach} on a server, then {@link Msg.run} it.
 * Durations are milliseconds. Source: messaging details, section 21.
 */
export class Msg {
  readonly #service: Service;
  readonly #surface: HttpEndpoints;
  readonly #background: BackgroundWork;
  readonly #labels: Pick<
    ManifestFacts,
    'oidcIssuer' | 'configSource' | 'region' | 'peers' | 'strictRequests'
  >;
  readonly #ready = Promise.withResolvers<void>();
  #phase: 'starting' | 'running' | 'draining' = 'starting';
  readonly #drainWindowMs: number;
  readonly #bootId: string;
  readonly #dlqBackend: ManifestPayload['dlq_backend'];
  #ran = false;

  private constructor(options: MsgOptions, { keyring, stores, oidc, tracing }: Resources) {
    this.#service = compose(options, keyring, stores, tracing);
    this.#drainWindowMs = options.drainWindow ?? 0;
    this.#bootId = this.#service.random.uuid();
    const backend = stores.link === undefined ? 'memory' : 'redis';
    this.#dlqBackend = options.dlq === undefined ? backend : 'custom';
    const { configSource, region, peers, strictRequests = false } = options;
    this.#labels = { oidcIssuer: oidc?.issuer, configSource, region, peers, strictRequests };
    this.#background = new BackgroundWork(this.#service, options.sweepInterval);
    this.#surface = new HttpEndpoints(this.#service, {
      noAuth: options.noAuth ?? false,
      strictRequests,
      oidc,
      allowedOrigins: options.allowedOrigins ?? [],
      allowedHosts: options.allowedHosts,
      trustedProxies: options.trustedProxies ?? [],
      metricsToken: options.metricsToken ?? '',
      webtransport: options.webtransport,
      manifest: () => this.manifest(),
      health: { isAlive: () => this.#isAlive(), readiness: () => this.#readiness() },
    });
    this.#ready.promise.catch(() => {}); // whoever waits gets the failure; nobody waiting is fine too
  }

  /**
   * Builds a service; its shared store is connected, its keyring loaded, or created where there is none, its identity
   * provider found, and nothing runs yet. One that will not be run is to be closed.
   * @throws MsgError MSG_INVALID_ARGUMENT for bad options and a provider that does not answer, MSG_BROKER_INTERNAL for
   * a shared store that does not; KeyringFormatError for a keyring that cannot be read.
   */
  static async create(options: MsgOptions = {}): Promise<Msg> {
    const opened = await open(options);
    try {
      const msg = new Msg(options, opened);
      const { schemasFile } = options;
      if (schemasFile) await msg.schemas.begin(await readSchemasFile(schemasFile));
      return msg;
    } catch (error) {
      await release({ ...opened.stores, tracing: opened.tracing });
      throw error;
    }
  }

  /** Lets go of what {@link Msg.create} opened, for a service that is not run. */
  async close(): Promise<void> {
    if (this.#ran) return;
    await release(this.#service);
  }

  /**
   * Runs the service until the signal is aborted, then drains it: `/readyz` turns red; clients are told to reconnect
   * elsewhere (3001), spread over the drain window where there is one, and the last ones get 5 s to go. `onLeft` is
   * called when the window is over: from then on requests are better answered elsewhere. Resolves when everything has
   * stopped.
   * @throws MsgError MSG_BROKER_INTERNAL when it ran before or cannot start, MSG_INVALID_ARGUMENT when the WebTransport
   * listener cannot be opened.
   */
  async run(signal: AbortSignal, { onLeft }: { readonly onLeft?: () => void } = {}): Promise<void> {
    if (this.#ran) throw new MsgError('MSG_BROKER_INTERNAL', 'a service runs once');
    this.#ran = true;
    const { node, channels, outbound } = this.#service;
    try {
      await node.start();
      await this.#background.start();
      await this.#surface.open();
    } catch (cause) {
      const error =
        cause instanceof MsgError
          ? cause
          : new MsgError('MSG_BROKER_INTERNAL', 'the broker could not start', { cause });
      this.#ready.reject(error);
      await this.#background.stop();
      if (node.accepting) await node.shutdown();
      await release(this.#service);
      throw error;
    }
    this.#phase = 'running';
    this.#ready.resolve();
    await aborted(signal);
    this.#phase = 'draining';
    await node.leave(this.#drainWindowMs);
    onLeft?.();
    await this.#background.stop();
    await Promise.all([outbound.stop(SINK_GRACE_MS), node.shutdown({ graceMs: SHUTDOWN_GRACE_MS })]);
    await this.#surface.close();
    channels.close();
    await release(this.#service);
  }

  /** Resolves once publishing is safe. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  #isAlive(): boolean {
    return this.#phase !== 'starting';
  }

  #readiness(): Readiness {
    const { node, link } = this.#service;
    const runs = this.#phase === 'running' && node.accepting;
    const subsystems = {
      broker: runs ? { ok: true } : { ok: false, detail: this.#phase },
      ...link?.health,
    };
    return { ready: Object.values(subsystems).every(({ ok }) => ok), subsystems };
  }

  /** The request listener of the HTTP surface, for mounting in a `node:http` server. */
  handler(): (request: IncomingMessage, response: ServerResponse) => void {
    return (request, response) => this.#surface.handle(request, response);
  }

  /**
   * Takes over WebSocket upgrades on the service's path. Other upgrades are left to the server's other listeners; when
   * there are none, they are ignored: the request goes to the server's request listener as if it had offered none.
   */
  attach(server: Server): void {
    UpgradeListener.of(server).add(this.#surface.upgrades);
  }

  /** The descriptor of the service (messaging details 3.2). */
  manifest(): Envelope<ManifestPayload> {
    const { version, keyring, limits, revocations, sinks, clock, link, tracing } = this.#service;
    const { webtransportPort } = this.#surface;
    const payload = manifestPayload({
      version,
      bootId: this.#bootId,
      activeKeyId: keyring.active.id,
      webtransportPort,
      sinks: sinks.names(),
      dlqBackend: this.#dlqBackend,
      sinkRetry: sinks.policy,
      rateLimits: limits.manifest(),
      revocationStore: revocations.enabled,
      sharedStore: link !== undefined,
      tracing: tracing !== undefined,
      ...this.#labels,
    });
    return createEnvelope('msg.manifest', payload, clock.now());
  }

  /** The schema registry. */
  get schemas(): SchemaRegistry {
    return this.#service.schemas;
  }

  // Channels.

  /**
   * Opens, reopens or refreshes a public channel; `ttlMs` 0 or absent means 30 min.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_INVALID_ARGUMENT, MSG_CHANNEL_NOT_FOUND for a deleted name
   */
  openPublic(name: string, ttlMs?: number): Promise<ChannelRecord> {
    return this.#service.channels.openPublic(name, ttlMs);
  }

  /**
   * Creates a private channel and its first tokens, which are kept nowhere.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_INVALID_ARGUMENT, MSG_CHANNEL_TTL_EXCEEDS_MAX, MSG_CHANNEL_EXISTS
   */
  createPrivate(request: CreatePrivateRequest): Promise<Credentials> {
    return this.#service.privateChannels.create(request);
  }

  /** @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  get(name: string): Promise<ChannelRecord> {
    return this.#service.channels.get(name);
  }

  /** Open and closed channels, sorted by name. */
  list(): Promise<readonly ChannelRecord[]> {
    return this.#service.channels.list();
  }

  /** Deletes for good. @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  delete(name: string): Promise<void> {
    return this.#service.channels.delete(name);
  }

  /** Counts as activity of an open channel. @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED */
  touch(name: string): Promise<void> {
    return this.#service.channels.touch(name);
  }

  /** Lifecycle events, with a buffer of that many; a full buffer drops. */
  events(buffer: number): LifecycleSubscription {
    return this.#service.channels.events(buffer);
  }

  // Publishing.

  /**
   * Publishes opaque bytes into an open channel.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED, MSG_BROKER_NOT_READY,
   * MSG_BROKER_INTERNAL
   */
  async publish(name: string, data: Uint8Array, extras?: PublishExtras): Promise<PublishAck> {
    return this.#service.publisher.publish(name, data, extras);
  }

  /** Live subscriptions of a channel. @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  presence(name: string): Promise<number> {
    return this.#service.publisher.presence(name);
  }

  /**
   * Publishes when the channel has live subscriptions; else sends the message through a sink, tried and parked as the
   * retry settings say. `delivered` is true when it left through the sink, dead letters included.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL; what {@link publish} throws;
   * MSG_SINK_CONFIG_INVALID for an unknown sink, MSG_INVALID_ARGUMENT, MSG_SINK_DLQ_OVERFLOW when parking failed.
   */
  publishOrSink(
    name: string,
    data: Uint8Array,
    sink: string,
    recipient: unknown,
    message: Partial<SinkMessage>,
    signal?: AbortSignal,
  ): Promise<PublishOrSinkResult> {
    const delivery = { sink, recipient, message, ...defined({ signal }) };
    return this.#service.publishOrSink.deliver(name, data, delivery);
  }

  /** The registered sinks, each behind the retry wrapper. */
  get sinks(): SinkRegistry {
    return this.#service.sinks;
  }

  /** Deliveries that were given up: list, count, discard, replay. */
  get deadLetters(): DeadLetters {
    return this.#service.deadLetters;
  }

  // Tokens.

  /**
   * Exchanges a refresh token for a new pair; each token works once.
   * @throws MsgError MSG_INVALID_ARGUMENT, MSG_AUTH_EXPIRED, MSG_AUTH_DENIED, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED
   */
  refresh(refreshToken: string): Promise<RefreshTokenResponse> {
    return this.#service.rotation.refresh(refreshToken);
  }

  /** A management token; empty subject means `operator`; the lifetime is clamped to 1 h … 7 d, 0 means 24 h. */
  issueMgmt(subject = '', ttlMs = 0): ManagementToken {
    return this.#service.management.issue(subject, ttlMs);
  }

  /** The management token of a boot; its lifetime is not clamped. @throws MsgError MSG_INVALID_ARGUMENT when not positive */
  bootstrapToken(subject: string, ttlMs: number): ManagementToken {
    const bootstrap = this.#service.management.bootstrap(subject, ttlMs);
    this.#service.revocations.cover(ttlMs);
    return bootstrap;
  }

  /** The claims of a token of that type. Revocation is not consulted. @throws MsgError MSG_AUTH_EXPIRED, MSG_AUTH_DENIED */
  verify(type: TokenType, token: string): TokenClaims {
    return this.#service.verifier.verify(type, token).claims;
  }

  /** Revokes one token by its `jti`. @throws MsgError MSG_INVALID_ARGUMENT without a revocation store */
  revokeToken(tokenId: string, reason?: string): Promise<void> {
    return this.#service.revocations.revokeToken(tokenId, reason);
  }

  /** Revokes all earlier tokens of a user. @throws MsgError MSG_INVALID_ARGUMENT without a revocation store */
  revokeUser(userId: string): Promise<void> {
    return this.#service.revocations.revokeUser(userId);
  }

  // Keys.

  /** Live keys, and once each that was retired since the last call. */
  listKeys(): readonly KeySummary[] {
    return this.#service.keyring.list();
  }

  /** Adds a verify-only key. @throws MsgError MSG_INVALID_ARGUMENT */
  generateKey(alg?: string): Promise<KeySummary> {
    return this.#service.keyring.generate(alg);
  }

  /** Makes a key sign. @throws MsgError MSG_INVALID_ARGUMENT */
  promoteKey(id: string): Promise<void> {
    return this.#service.keyring.promote(id);
  }

  /** Ends a key: what it signed no longer verifies. @throws MsgError MSG_INVALID_ARGUMENT */
  retireKey(id: string): Promise<void> {
    return this.#service.keyring.retire(id);
  }

  /** Reads the keyring's store again. @throws MsgError MSG_INVALID_ARGUMENT without a store, MSG_INTERNAL */
  reloadKeys(): Promise<void> {
    return this.#service.keyring.reload();
  }

  /** The ring with its secrets, as `keyring.json` holds it. */
  exportKeys(): KeyringDocument {
    return keySetDocument(this.#service.keyring.ring);
  }

  /** Where the keyring is stored; empty when nowhere. */
  get keyringPath(): string {
    return this.#service.keyring.location;
  }

  /** The key that signs. */
  get activeKeyId(): string {
    return this.#service.keyring.active.id;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
