import { MsgError, parseName, type SchemaSnapshot } from '@msg/core';
import { Centrifuge, type Subscription, type SubscriptionOptions } from 'centrifuge';
import { boundedWait } from './bounded-wait.ts';
import { ClientTokens } from './client-tokens.ts';
import { type ClientState, ConnectionState } from './connection-state.ts';
import { Endpoints } from './endpoints.ts';
import { defaultFetch } from './http.ts';
import { fetchManifest, type Manifest } from './manifest.ts';
import type { ConnectOptions, MsgClientEvents, MsgClientOptions } from './options.ts';
import type { Fetch } from './platform.ts';
import { SchemaCache } from './schema-cache.ts';
import { codedError } from './stock-error.ts';
import type { TokenPair } from './stores/token-store.ts';
import { createSubscription, type SubscriptionStatus, type TypedSubscription } from './subscription.ts';
import { emulationEndpoint } from './transports.ts';

/** Disconnected for an access token that the service does not take (client protocol 2.3). */
const INVALID_TOKEN = 3500;
/** Disconnected because the device stood still between opening its socket and connecting (client protocol 5.2). */
const STALE = 3502;
/** Refused for an access token that has ended on the service. */
const TOKEN_EXPIRED = 109;

/** The client of the service for browsers and Node.js (messaging details 20, application developers 7). */
export class MsgClient {
  readonly #options: MsgClientOptions;
  readonly #fetch: Fetch;
  readonly #tokens: ClientTokens;
  readonly #schemas: SchemaCache;
  readonly #endpoints: Endpoints;
  readonly #stock: Centrifuge;
  readonly #state: ConnectionState;
  readonly #listeners: { readonly [E in keyof MsgClientEvents]: Set<MsgClientEvents[E]> } = {
    state: new Set(),
    terminal: new Set(),
    manifestUnavailable: new Set(),
    waiting: new Set(),
  };
  readonly #waiting = new WeakSet<object>();
  /** As the manifest says; a subscription that is made before it is there asks for deltas. */
  #appends: unknown = 'supported';
  #manifest: Promise<Manifest> | null = null;
  #connecting: Promise<void> | null = null;
  /** Number of `disconnect` calls, by which work in flight notices one. */
  #disconnects = 0;
  #ended: MsgError | null = null;

  /**
   * @throws MsgError MSG_INVALID_ARGUMENT when `endpoint` is not an absolute http or https URL, or `credentials` holds no
   * access token with its expiry.
   */
  constructor(options: MsgClientOptions) {
    const { endpoint = '', fetch = defaultFetch, preferTransports, centrifugeOptions } = options;
    this.#options = options;
    this.#fetch = fetch;
    this.#endpoints = new Endpoints(endpoint, preferTransports);
    this.#tokens = new ClientTokens(options, fetch, error => this.#end(error));
    this.#schemas = new SchemaCache(fetch, endpoint);
    this.#stock = new Centrifuge(this.#endpoints.list, {
      emulationEndpoint: emulationEndpoint(endpoint),
      getToken: this.#tokens.mayExist ? () => this.#tokens.connectionToken() : null,
      ...centrifugeOptions,
    });
    this.#stock.on('disconnected', ({ code, reason }) => {
      if (code === INVALID_TOKEN && this.#tokens.mayExist) {
        this.#tokens.refuse(new MsgError('MSG_AUTH_DENIED', reason));
        this.#stock.setToken('');
      } else if (code !== STALE) return this.#release();
      // Stock clients take both as final.
      this.#state.set('connecting', reason);
      this.#stock.connect();
    });
    this.#stock.on('error', ({ error }) => {
      if (error.code === TOKEN_EXPIRED) this.#tokens.refuse(codedError(error));
    });
    this.#state = new ConnectionState(this.#stock, change => this.#emit('state', change));
  }

  /** The state of the connection; the event `state` reports each change. */
  get state(): ClientState {
    return this.#state.current;
  }

  /**
   * Connects; resolves when the server has accepted. Safe to call again. While the server cannot be reached, the client
   * retries, and the promise stays pending within the limits of `options`.
   * @throws MsgError the terminal failure; MSG_BROKER_NOT_READY after `timeoutMs`; MSG_INTERNAL when `disconnect` was
   * called meanwhile. The signal's reason when it aborts.
   */
  connect(options?: ConnectOptions): Promise<void> {
    const connecting = this.#connecting ?? this.#start();
    return options === undefined ? connecting : boundedWait(connecting, options);
  }

  /** Closes the connection and stops every timer; a pending `connect` rejects, the next one connects. */
  disconnect(): void {
    this.#close('disconnect called');
  }

  /**
   * A subscription of the stock client, not yet subscribed; before `connect`, it subscribes with the connection. Private
   * channels get their token automatically. Publications whose payload is not UTF-8 have a `Uint8Array` as data.
   * @throws MsgError MSG_CHANNEL_INVALID
   */
  newSubscription(name: string, options: Partial<SubscriptionOptions> = {}): Subscription {
    const { visibility } = parseName(name);
    const getToken = visibility === 'private' && this.#tokens.mayExist ? () => this.#tokens.token() : null;
    const onWaiting = (subscription: Subscription, isWaiting: boolean): void => {
      if (!isWaiting) this.#waiting.delete(subscription);
      else if (!this.#waiting.has(subscription)) {
        this.#waiting.add(subscription);
        this.#emit('waiting', name);
      }
    };
    const deltas = this.#appends === 'supported' && !options.tagsFilter && { delta: 'fossil' as const };
    return createSubscription(this.#stock, name, { ...deltas, getToken, ...options }, onWaiting);
  }

  /** The state of a subscription of this client. */
  statusOf(subscription: Pick<Subscription, 'state'>): SubscriptionStatus {
    return this.#waiting.has(subscription) ? 'waiting' : subscription.state;
  }

  /** As {@link newSubscription}, with typed publications. */
  typedSubscribe<T>(name: string, options: Partial<SubscriptionOptions> = {}): TypedSubscription<T> {
    return this.newSubscription(name, options) as unknown as TypedSubscription<T>; // a promise of the schema, not checked
  }

  /**
   * Publishes over the connection. It waits for the connection, and then for the answer, up to the stock client's
   * `timeout`, 5 s.
   * @throws MsgError with the server's code; MSG_CHANNEL_INVALID; MSG_BROKER_NOT_READY without a connection or an answer;
   * the terminal failure after it
   */
  async publish(name: string, data: unknown): Promise<void> {
    parseName(name);
    if (this.#ended !== null) throw this.#ended;
    await this.#stock.publish(name, data).catch((error: unknown) => {
      throw this.#ended ?? codedError(error);
    });
  }

  /** The schema registry, which stays current from the first call on. @throws MsgError */
  schemas(): Promise<SchemaSnapshot> {
    return this.#schemas.snapshot(this.#stock);
  }

  /** The service's descriptor, fetched once. @throws MsgError MSG_BROKER_NOT_READY, MSG_INTERNAL */
  fetchManifest(): Promise<Manifest> {
    this.#manifest ??= fetchManifest(this.#fetch, this.#options.endpoint).catch((error: unknown) => {
      this.#manifest = null;
      throw error;
    });
    return this.#manifest;
  }

  /** Drops the cached manifest: the next {@link fetchManifest} fetches it again. */
  invalidateManifest(): void {
    this.#manifest = null;
  }

  /** The pair in use. */
  tokens(): Promise<TokenPair | null> {
    return this.#tokens.pair();
  }

  /** The stock client. */
  raw(): Centrifuge {
    return this.#stock;
  }

  on<E extends keyof MsgClientEvents>(event: E, listener: MsgClientEvents[E]): this {
    this.#listeners[event].add(listener);
    return this;
  }

  off<E extends keyof MsgClientEvents>(event: E, listener: MsgClientEvents[E]): this {
    this.#listeners[event].delete(listener);
    return this;
  }

  #start(): Promise<void> {
    this.#ended = null;
    const connecting = this.#connect().catch((error: unknown) => {
      // After a disconnect it may belong to another attempt.
      if (this.#connecting === connecting)
        this.#close(error instanceof Error ? error.message : String(error));
      throw error;
    });
    this.#connecting = connecting;
    this.#state.set('connecting', 'connect called');
    return connecting;
  }

  async #connect(): Promise<void> {
    const disconnects = this.#disconnects;
    const checkWanted = (): void => {
      if (disconnects !== this.#disconnects) throw new MsgError('MSG_INTERNAL', 'disconnected');
    };
    await this.#tokens.load();
    await this.#negotiate();
    checkWanted();
    await this.#tokens.start();
    checkWanted();
    this.#stock.connect();
    // The stock client reports only the disconnect; the refresh controller has reported the reason.
    await this.#state.ready().catch((error: unknown) => {
      throw this.#ended ?? codedError(error);
    });
  }

  /** Keeps the transports that the server offers. */
  async #negotiate(): Promise<void> {
    if (this.#options.manifest === false) return;
    try {
      const manifest = await this.fetchManifest();
      this.#endpoints.restrictTo(manifest);
      this.#appends = manifest.payload['append_streams'];
    } catch (error) {
      // An invalid manifest is not a temporary failure.
      if (!(error instanceof MsgError) || error.code !== 'MSG_BROKER_NOT_READY') throw error;
      this.#emit('manifestUnavailable', error);
    }
  }

  #end(error: MsgError): void {
    this.#ended = error;
    // The reason comes first, so that a listener of the disconnect knows it.
    this.#emit('terminal', error);
    this.#close(error.message);
  }

  #close(reason: string): void {
    this.#disconnects++;
    this.#release();
    this.#state.close(reason);
  }

  /** Stops the parts that only a connection needs. */
  #release(): void {
    this.#connecting = null;
    this.#tokens.stop();
  }

  #emit<E extends keyof MsgClientEvents>(event: E, argument: Parameters<MsgClientEvents[E]>[0]): void {
    // Listener and argument belong to one event, which the types cannot express.
    for (const listener of this.#listeners[event]) (listener as (of: typeof argument) => void)(argument);
  }
}
