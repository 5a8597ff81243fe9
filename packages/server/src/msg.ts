import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type {
  AppendStreamOptions,
  AppendWriter,
  AppendWriterParts,
  Envelope,
  ManifestPayload,
  PublishPayload,
  ResumeStreamOptions,
} from '@msg/core';
import { openStream, payloadBytes, takeOverStream } from '@msg/core/internal';
import type { StreamPosition } from '@msg/engine';
import { defined } from '@msg/foundation/json';
import { writerPort } from './append/writer-port.ts';
import type { HttpEndpoints } from './http/endpoints.ts';
import { type ListeningAddress, OwnServers } from './http/own-servers.ts';
import { runFacts } from './http/run-facts.ts';
import { httpEndpoints } from './http/service-endpoints.ts';
import { UpgradeListener } from './http/upgrade-listener.ts';
import type { DeadLetters } from './notify/dead-letters/dead-letters.ts';
import type { SinkMessage } from './notify/sinks/contract.ts';
import type { PublishOrSinkResult } from './notify/sinks/publish-or-sink.ts';
import type { SinkRegistry } from './notify/sinks/registry.ts';
import type { OutboxOptions } from './outbox/options.ts';
import { Outbox } from './outbox/outbox.ts';
import type { PublishAck } from './publishing/pipeline.ts';
import type { PublishExtras } from './publishing/publication.ts';
import {
  type BroadcastOutcome,
  broadcast,
  type PublishItem,
  type PublishManyOptions,
  type PublishOutcome,
  publishItems,
} from './publishing/publish-many.ts';
import { readSchemasFile } from './schemas/file.ts';
import type { SchemaRegistry } from './schemas/registry.ts';
import { BackgroundWork } from './service/background.ts';
import { compose, type Service } from './service/compose.ts';
import { withConfigFile } from './service/config-file.ts';
import { ApiKeyGroup } from './service/groups/api-key-group.ts';
import { ChannelGroup } from './service/groups/channel-group.ts';
import { KeyGroup } from './service/groups/key-group.ts';
import { TokenGroup } from './service/groups/token-group.ts';
import { Lifetime } from './service/lifetime.ts';
import type { ListenOptions, MsgOptions, StartOptions } from './service/options.ts';
import { acquireResources, disposeResources, type Resources } from './service/resources.ts';
import type { MainThreads } from './threads/main.ts';
import type { ThreadServers } from './threads/thread-servers.ts';

/** Loads the code of threads, only if the options ask for more than the one that calls. */
async function openThreads(options: MsgOptions): Promise<MainThreads | undefined> {
  if (options.threads === undefined || options.threads === 1) return undefined;
  const { MainThreads } = await import('./threads/main.ts');
  return MainThreads.open(options);
}

/**
 * One messaging service: channels, tokens, keys, the realtime node and the HTTP endpoints. Several can live in one
 * process. {@link Msg.start} creates and runs one. To use your own server, call {@link Msg.create}, mount {@link
 * Msg.handler} and {@link Msg.attach}, then call {@link Msg.run}. Durations are milliseconds. Source: messaging details,
 * section 21.
 */
export class Msg {
  /** Opens, creates, reads and deletes channels. */
  readonly channels: ChannelGroup;
  /** Issues, exchanges, verifies and revokes tokens. */
  readonly tokens: TokenGroup;
  /** The signing keys. */
  readonly keys: KeyGroup;
  /** API keys: the durable credentials of backends. */
  readonly apiKeys: ApiKeyGroup;
  /** The schema registry. */
  readonly schemas: SchemaRegistry;
  /** The registered sinks, each with the retry wrapper. */
  readonly sinks: SinkRegistry;
  /** Failed deliveries: list, count, discard, replay. */
  readonly deadLetters: DeadLetters;
  readonly #service: Service;
  readonly #endpoints: HttpEndpoints;
  readonly #servers: OwnServers | ThreadServers;
  readonly #lifetime: Lifetime;
  #outbox: Outbox | undefined;

  private constructor(options: MsgOptions, opened: Resources, threads: MainThreads | undefined) {
    const { keyring, apiKeys, oidc, consoleLogin } = opened;
    this.#service = compose(options, opened);
    const run = runFacts(options, { bootId: this.#service.random.uuid(), threads: threads?.count ?? 1 });
    this.channels = new ChannelGroup(this.#service);
    this.tokens = new TokenGroup(this.#service);
    this.keys = new KeyGroup(keyring, apiKeys);
    this.apiKeys = new ApiKeyGroup(apiKeys, this.#service.apiKeyChanges);
    this.schemas = this.#service.schemas;
    this.sinks = this.#service.sinks;
    this.deadLetters = this.#service.deadLetters;
    this.#endpoints = httpEndpoints(this.#service, options, {
      oidc,
      consoleLogin,
      health: { isAlive: () => this.#lifetime.isAlive, readiness: () => this.#lifetime.readiness() },
      metrics: threads?.metrics,
      webtransport: threads === undefined ? options.webtransport : undefined,
      listenersElsewhere: threads && (() => threads.listeners),
      run,
    });
    this.#servers =
      threads?.servers({
        service: this.#service,
        oidc,
        consoleLogin,
        run,
        prefix: this.#endpoints.base.prefix,
        readiness: () => this.#lifetime.readiness(),
        onFailed: failure => this.#lifetime.fail(failure),
      }) ?? new OwnServers(this.#endpoints, this.#service.clock);
    this.#service.ownNode.watchHealth(() => ({
      ...this.#lifetime.readiness(),
      phase: this.#lifetime.phase,
    }));
    this.#lifetime = new Lifetime({
      service: this.#service,
      background: new BackgroundWork(this.#service, options.sweepIntervalMs),
      transports: this.#endpoints,
      servers: this.#servers,
      outbox: () => this.#outbox,
      drainWindowMs: options.drainWindowMs ?? 0,
    });
  }

  /**
   * Creates a service that does not run yet: connects the shared store, loads the keyring or creates it on the first
   * start, and discovers the identity provider. Close a service that you do not run.
   * @throws MsgError MSG_INVALID_ARGUMENT for bad options and a provider that does not answer, MSG_BROKER_INTERNAL for a
   * shared store that does not answer; KeyringFormatError for an invalid keyring
   */
  static async create(initial: MsgOptions = {}): Promise<Msg> {
    const options = await withConfigFile(initial);
    const threads = await openThreads(options);
    const acquired = await acquireResources(options);
    try {
      const shared = threads?.share(acquired) ?? { resources: acquired, options };
      const msg = new Msg(shared.options, shared.resources, threads);
      const { schemasFile } = options;
      if (options.outbox !== undefined) msg.#outbox = await msg.#openOutbox(options.outbox);
      if (schemasFile) await msg.schemas.begin(await readSchemasFile(schemasFile));
      return msg;
    } catch (error) {
      await disposeResources(acquired);
      throw error;
    }
  }

  /**
   * Creates a service, runs it and waits until publishing is safe. With `listen` it opens its own server, with `server`
   * it handles that server's upgrades. {@link Msg.stop} or `await using` ends it.
   * @throws MsgError the errors of {@link Msg.create}, {@link Msg.run} and {@link Msg.listen}; everything is then closed
   * Source: app-developers 4.
   */
  static async start({ listen, server, ...options }: StartOptions = {}): Promise<Msg> {
    const msg = await Msg.create(options);
    const ended = msg.run(new AbortController().signal);
    ended.catch(() => {}); // `ready` and `stop` reject with the same error
    try {
      await msg.ready();
      if (server !== undefined) msg.attach(server);
      if (listen !== undefined) await msg.listen(listen);
      return msg;
    } catch (error) {
      await msg.stop().catch(() => {}); // the first error is reported
      throw error;
    }
  }

  /** Closes what {@link Msg.create} opened, for a service that does not run. */
  close(): Promise<void> {
    return this.#lifetime.close();
  }

  /**
   * Runs the service until the signal is aborted or {@link Msg.stop} is called, then drains it: `/readyz` fails; clients
   * are disconnected with 3001 and reconnect elsewhere, spread over the drain window if there is one, and the last ones
   * get 5 s. Calls `onLeft` at the end of the window: another node should now answer requests. Resolves when everything
   * has stopped.
   * @throws MsgError MSG_BROKER_INTERNAL when it ran before or cannot start, MSG_INVALID_ARGUMENT when the WebTransport
   * listener cannot be opened
   */
  run(signal: AbortSignal, { onLeft = () => {} }: { readonly onLeft?: () => void } = {}): Promise<void> {
    return this.#lifetime.run(signal, onLeft);
  }

  /** Resolves once publishing is safe. */
  ready(): Promise<void> {
    return this.#lifetime.ready;
  }

  /**
   * Drains as {@link Msg.run} does, and resolves when everything has stopped, including the servers of {@link
   * Msg.listen}. Further calls return the same promise.
   */
  stop(): Promise<void> {
    return this.#lifetime.stop();
  }

  /** {@link Msg.stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Opens a server of the service, with the limits of {@link HTTP_TIMEOUTS}. On a loopback address requests must name
   * that host, unless `allowedHosts` is set.
   * @throws MsgError MSG_INVALID_ARGUMENT for an address that cannot be listened on.
   */
  listen({ host = '127.0.0.1', port = 8000 }: ListenOptions = {}): Promise<ListeningAddress> {
    return this.#servers.open({ host, port });
  }

  /** The addresses of {@link Msg.listen}, in the order of its calls. */
  get addresses(): readonly ListeningAddress[] {
    return this.#servers.addresses;
  }

  /**
   * The request listener of the HTTP endpoints, for a `node:http` server or as middleware of a framework. Requests for
   * other paths go to the third argument, `next`; without it they get 404. Source: app-developers 6.
   */
  handler(): (request: IncomingMessage, response: ServerResponse, next?: () => void) => void {
    return (request, response, next) => this.#endpoints.handle(request, response, next);
  }

  /**
   * Handles WebSocket upgrades on the service's path. Other upgrades go to the server's other listeners. Without such a
   * listener they are ignored: the server's request listener answers as if the request had no upgrade.
   */
  attach(server: Server): void {
    UpgradeListener.of(server).add(this.#endpoints.upgrades);
  }

  /** The descriptor of the service (messaging details 3.2). */
  manifest(): Envelope<ManifestPayload> {
    return this.#endpoints.manifest();
  }

  /**
   * Publishes into an open channel: bytes as they are, any other value as its JSON text.
   * @throws MsgError MSG_INVALID_ARGUMENT, with the member's name, for a value that JSON cannot hold,
   * MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL
   */
  async publish(name: string, payload: PublishPayload, extras?: PublishExtras): Promise<PublishAck> {
    return this.#service.pipeline.publish(name, payloadBytes(payload), extras);
  }

  /**
   * Publishes up to 1,000 publications and returns the outcome of each, in their order. A failure does not stop the
   * others unless `stopChannelOnError` is set. With `parallel` the order within a channel stays.
   * @throws MsgError MSG_INVALID_ARGUMENT, without publishing, for none or too many, and, with the member's name, for a
   * payload that JSON cannot hold
   */
  async publishMany(
    items: readonly PublishItem[],
    options: PublishManyOptions = {},
  ): Promise<readonly PublishOutcome[]> {
    return publishItems(this.#service, items, options);
  }

  /**
   * Publishes the same payload into up to 1,000 channels and returns the outcome in each, in the order of the names.
   * @throws MsgError MSG_INVALID_ARGUMENT as {@link publishMany}
   */
  async broadcast(
    names: readonly string[],
    payload: PublishPayload,
    extras: PublishExtras = {},
  ): Promise<readonly BroadcastOutcome[]> {
    return broadcast(this.#service, names, payload, extras);
  }

  /**
   * The position of the newest publication of a channel: read it before a snapshot, and subscribe `since` it. Offset 0
   * before the first publication; no epoch where history is off.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL
   */
  positionOf(name: string): Promise<StreamPosition> {
    return this.#service.streams.position(name);
  }

  /**
   * Opens a message of an append stream and returns what lets it grow.
   * @throws MsgError MSG_APPEND_BUSY while another message is open; MSG_INVALID_ARGUMENT without the channel option
   * `append`; the errors of {@link publish}. Source: append streams 5.3
   */
  appendStream(channel: string, options: AppendStreamOptions = {}): Promise<AppendWriter> {
    return openStream(this.#writerParts(channel), options);
  }

  /**
   * Takes a message over from another worker: `resumed` of the result has the text so far.
   * @param message absent: the open one
   * @throws MsgError MSG_APPEND_NOT_FOUND, MSG_APPEND_CLOSED for a message that has ended
   */
  resumeStream(channel: string, message?: string, options: ResumeStreamOptions = {}): Promise<AppendWriter> {
    return takeOverStream(this.#writerParts(channel), message, options);
  }

  async #openOutbox(options: OutboxOptions): Promise<Outbox> {
    const { logger, clock, random } = this.#service;
    const openChannel = (name: string): Promise<unknown> => this.channels.openPublic(name);
    // Declared channels are opened by a publication.
    const opens = options.openChannels === 'auto' ? { openChannel } : {};
    const outbox = await Outbox.open(options, { msg: this, logger, clock, random, ...opens });
    this.#service.outbox.observe(() => outbox.figures());
    return outbox;
  }

  #writerParts(channel: string): AppendWriterParts {
    const { appendStreams, clock, random } = this.#service;
    return { port: writerPort(appendStreams, channel), clock, random };
  }

  /** Live subscriptions of a channel. @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  presence(name: string): Promise<number> {
    return this.#service.subscribers.presence(name);
  }

  /**
   * Publishes when the channel has live subscriptions; otherwise sends the message through a sink with the retry
   * settings. `signal` ends the attempts, `extras` belong to the publication. `delivered` is true when the sink took the
   * message or it became a dead letter.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL; the errors of {@link publish};
   * MSG_SINK_CONFIG_INVALID for an unknown sink, MSG_INVALID_ARGUMENT, MSG_SINK_DLQ_OVERFLOW when the message could not
   * become a dead letter
   */
  async publishOrSink(
    name: string,
    payload: PublishPayload,
    sink: string,
    recipient: unknown,
    message: Partial<SinkMessage>,
    signal?: AbortSignal,
    extras?: PublishExtras,
  ): Promise<PublishOrSinkResult> {
    const delivery = { sink, recipient, message, ...defined({ signal, extras }) };
    return this.#service.publishOrSink.deliver(name, payloadBytes(payload), delivery);
  }
}
