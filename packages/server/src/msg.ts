import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createEnvelope, type Envelope, type ManifestPayload, MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { HttpEndpoints } from './http/endpoints.ts';
import type { Readiness } from './http/health.ts';
import { type ManifestFacts, manifestPayload } from './http/manifest.ts';
import { UpgradeListener } from './http/upgrade-listener.ts';
import type { DeadLetters } from './notify/dead-letters/dead-letters.ts';
import type { SinkMessage } from './notify/sinks/contract.ts';
import type { PublishOrSinkResult } from './notify/sinks/publish-or-sink.ts';
import type { SinkRegistry } from './notify/sinks/registry.ts';
import type { PublishAck } from './publishing/pipeline.ts';
import type { PublishExtras } from './publishing/publication.ts';
import { readSchemasFile } from './schemas/file.ts';
import type { SchemaRegistry } from './schemas/registry.ts';
import { BackgroundWork } from './service/background.ts';
import { compose, type Service } from './service/compose.ts';
import { withConfigFile } from './service/config-file.ts';
import { ChannelGroup } from './service/groups/channel-group.ts';
import { KeyGroup } from './service/groups/key-group.ts';
import { TokenGroup } from './service/groups/token-group.ts';
import { type MsgOptions, SHUTDOWN_GRACE_MS, SINK_GRACE_MS } from './service/options.ts';
import { acquireResources, disposeResources, type Resources } from './service/resources.ts';

/**
 * One messaging service: channels, tokens, keys, the realtime node and the HTTP surface over them. Several can live
 * in one process. Create it, mount {@link Msg.handler} and {@link Msg.attach} on a server, then {@link Msg.run} it.
 * Durations are milliseconds. Source: messaging details, section 21.
 */
export class Msg {
  /** Opens, creates, reads and deletes channels. */
  readonly channels: ChannelGroup;
  /** Issues, exchanges, verifies and revokes tokens. */
  readonly tokens: TokenGroup;
  /** The signing keys. */
  readonly keys: KeyGroup;
  /** The schema registry. */
  readonly schemas: SchemaRegistry;
  /** The registered sinks, each behind the retry wrapper. */
  readonly sinks: SinkRegistry;
  /** Deliveries that were given up: list, count, discard, replay. */
  readonly deadLetters: DeadLetters;
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

  private constructor(options: MsgOptions, opened: Resources) {
    const { keyring, apiKeys, oidc } = opened;
    this.#service = compose(options, opened);
    this.channels = new ChannelGroup(this.#service);
    this.tokens = new TokenGroup(this.#service);
    this.keys = new KeyGroup(keyring, apiKeys);
    this.schemas = this.#service.schemas;
    this.sinks = this.#service.sinks;
    this.deadLetters = this.#service.deadLetters;
    this.#drainWindowMs = options.drainWindowMs ?? 0;
    this.#bootId = this.#service.random.uuid();
    const backend = options.redis === undefined ? 'memory' : 'redis';
    const isCustom = options.dlq !== undefined || options.stores !== undefined;
    this.#dlqBackend = isCustom ? 'custom' : backend;
    const { configSource, region, peers, strictRequests = false } = options;
    this.#labels = { oidcIssuer: oidc?.issuer, configSource, region, peers, strictRequests };
    this.#background = new BackgroundWork(this.#service, options.sweepIntervalMs);
    this.#surface = new HttpEndpoints(this.#service, {
      noAuth: options.noAuth ?? false,
      strictRequests,
      oidc,
      allowedOrigins: options.allowedOrigins ?? [],
      allowedHosts: options.allowedHosts,
      trustedProxies: options.trustedProxies ?? [],
      metricsToken: options.metricsToken ?? '',
      clientScript: options.clientScript ?? true,
      webtransport: options.webtransport,
      manifest: () => this.manifest(),
      health: { isAlive: () => this.#isAlive(), readiness: () => this.#readiness() },
    });
    this.#ready.promise.catch(() => {}); // callers of `ready` get the failure; without callers it is handled here
  }

  /**
   * Builds a service; its shared store is connected, its keyring loaded, or created on the first start, its identity
   * provider found, and nothing runs yet. One that will not be run is to be closed.
   * @throws MsgError MSG_INVALID_ARGUMENT for bad options and a provider that does not answer, MSG_BROKER_INTERNAL for
   * a shared store that does not; KeyringFormatError for a keyring that cannot be read.
   */
  static async create(initial: MsgOptions = {}): Promise<Msg> {
    const options = await withConfigFile(initial);
    const opened = await acquireResources(options);
    try {
      const msg = new Msg(options, opened);
      const { schemasFile } = options;
      if (schemasFile) await msg.schemas.begin(await readSchemasFile(schemasFile));
      return msg;
    } catch (error) {
      await disposeResources(opened);
      throw error;
    }
  }

  /** Closes what {@link Msg.create} opened, for a service that is not run. */
  async close(): Promise<void> {
    if (this.#ran) return;
    await disposeResources(this.#service);
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
      await disposeResources(this.#service);
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
    await disposeResources(this.#service);
  }

  /** Resolves once publishing is safe. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  #isAlive(): boolean {
    return this.#phase !== 'starting';
  }

  #readiness(): Readiness {
    const { node, clusterBus } = this.#service;
    const runs = this.#phase === 'running' && node.accepting;
    const subsystems = {
      broker: runs ? { ok: true } : { ok: false, detail: this.#phase },
      ...clusterBus?.health,
    };
    return { ready: Object.values(subsystems).every(({ ok }) => ok), subsystems };
  }

  /** The request listener of the HTTP surface, for mounting in a `node:http` server. */
  handler(): (request: IncomingMessage, response: ServerResponse) => void {
    return (request, response) => this.#surface.handle(request, response);
  }

  /**
   * Takes over WebSocket upgrades on the service's path. Other upgrades are left to the server's other listeners.
   * Without such a listener they are ignored: the server's request listener answers as if no upgrade was offered.
   */
  attach(server: Server): void {
    UpgradeListener.of(server).add(this.#surface.upgrades);
  }

  /** The descriptor of the service (messaging details 3.2). */
  manifest(): Envelope<ManifestPayload> {
    const { version, keyring, limits, revocations, sinks, clock, clusterBus, tracing } = this.#service;
    const { listeners, clientScript } = this.#surface;
    const payload = manifestPayload({
      version,
      bootId: this.#bootId,
      activeKeyId: keyring.active.id,
      listeners,
      sinks: sinks.names(),
      dlqBackend: this.#dlqBackend,
      sinkRetry: sinks.policy,
      rateLimits: limits.manifest(),
      revocationStore: revocations.enabled,
      sharedStore: clusterBus !== undefined,
      tracing: tracing !== undefined,
      clientScript,
      ...this.#labels,
    });
    return createEnvelope('msg.manifest', payload, clock.now());
  }

  /**
   * Publishes opaque bytes into an open channel.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED, MSG_BROKER_NOT_READY,
   * MSG_BROKER_INTERNAL
   */
  async publish(name: string, data: Uint8Array, extras?: PublishExtras): Promise<PublishAck> {
    return this.#service.pipeline.publish(name, data, extras);
  }

  /** Live subscriptions of a channel. @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  presence(name: string): Promise<number> {
    return this.#service.subscribers.presence(name);
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
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
