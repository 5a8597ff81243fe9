import { isMsgCode, MsgError, parseName, type SchemaSnapshot } from '@msg/core';
import {
  Centrifuge,
  type Options,
  type PublicationContext,
  type Subscription,
  type SubscriptionEvents,
  type SubscriptionOptions,
  UnauthorizedError,
} from 'centrifuge';
import { base64Bytes } from './base64.ts';
import { defaultFetch } from './http.ts';
import { fetchManifest, type Manifest } from './manifest.ts';
import { after, type Fetch, onWake } from './platform.ts';
import { redeem } from './redeem.ts';
import { RefreshController } from './refresh-controller.ts';
import { SchemaCache } from './schema-cache.ts';
import { decodeJwtPayload } from './scopes.ts';
import { MemoryTokenStore, type TokenPair, type TokenStore } from './stores/token-store.ts';
import { emulationEndpoint, pickTransports, type Transport, transportEndpoint } from './transports.ts';

export interface MsgClientOptions {
  /** Base address of the service: http(s) or ws(s). */
  readonly endpoint: string;
  /** The pair to begin with; expiries in unix seconds, `accessExp` 0 refreshes first. */
  readonly accessToken?: string;
  readonly refreshToken?: string;
  readonly accessExp?: number;
  readonly refreshExp?: number;
  /** Default: memory. */
  readonly tokenStore?: TokenStore;
  /** In the order they are tried; default WebSocket, then HTTP streaming. */
  readonly preferTransports?: readonly Transport[];
  /** False: no manifest is fetched, the preferred transports are used as they are. */
  readonly manifest?: boolean;
  /** A token is refreshed this long before its end; default 30. */
  readonly refreshSkewSeconds?: number;
  /** Handed to the stock client. */
  readonly centrifugeOptions?: Partial<Options>;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
}

export interface MsgClientEvents {
  /** Nothing helps any more: the user is signed out and the connection closed. */
  terminal: (error: MsgError) => void;
  /** The manifest could not be fetched; the preferred transports are used as they are. */
  manifestUnavailable: (error: MsgError) => void;
  /** A subscription waits for its channel, which is not open: the stock client retries until it is. */
  waiting: (channel: string) => void;
}

/** The stock client's states of a subscription, and `waiting`: subscribing, to a channel that is not open. */
export type SubscriptionStatus = 'unsubscribed' | 'subscribing' | 'waiting' | 'subscribed';

/** Refused by a server on which the channel is not open (messaging details 24.1). */
const CHANNEL_NOT_OPEN = 102;

/** A publication whose data has the type that its channel's schema promises. */
export type TypedPublication<T> = Omit<PublicationContext, 'data'> & { readonly data: T };

/** A subscription whose publications are typed; everything else is the stock client's. */
export interface TypedSubscription<T> extends Omit<Subscription, 'on'> {
  on(event: 'publication', listener: (publication: TypedPublication<T>) => void): this;
  on<E extends Exclude<keyof SubscriptionEvents, 'publication'>>(
    event: E,
    listener: SubscriptionEvents[E],
  ): this;
}

const DEFAULT_TRANSPORTS: readonly Transport[] = ['websocket', 'http_stream'];

/** The coded error behind an error of the stock client, whose message begins with the code. */
function coded(error: unknown): MsgError {
  const { message = '' } = Object(error) as { message?: string };
  const code = /^(MSG_[A-Z_]+): /.exec(message)?.[1];
  return new MsgError(isMsgCode(code) ? code : 'MSG_INTERNAL', message || 'the stock client failed', {
    cause: error,
  });
}

/** JSON holds payloads that are not UTF-8 as base64 (messaging details 24.3); applications get the bytes. */
function decodeBinary(publication: PublicationContext): void {
  if (publication.tags?.['msg-encoding'] === 'base64') publication.data = base64Bytes(publication.data);
}

/** The ten-line way into the service (messaging details 20). */
export class MsgClient {
  readonly #options: MsgClientOptions;
  readonly #fetch: Fetch;
  readonly #store: TokenStore;
  readonly #refresh: RefreshController;
  readonly #schemas: SchemaCache;
  readonly #listeners: { readonly [E in keyof MsgClientEvents]: Set<MsgClientEvents[E]> } = {
    terminal: new Set(),
    manifestUnavailable: new Set(),
    waiting: new Set(),
  };
  readonly #waiting = new WeakSet<object>();
  #manifest: Promise<Manifest> | null = null;
  #connecting: Promise<void> | null = null;
  /** Calls of `disconnect`: what is in flight begins nothing after the next one. */
  #disconnects = 0;
  #stock: Centrifuge | null = null;
  #ended: MsgError | null = null;
  #stopWaking: (() => void) | null = null;
  #hasTokens = false;

  /** @throws MsgError MSG_INVALID_ARGUMENT when `endpoint` is not an absolute http or https URL. */
  constructor(options: MsgClientOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? defaultFetch;
    const { endpoint } = options;
    transportEndpoint(endpoint ?? '', 'websocket');
    this.#store = options.tokenStore ?? new MemoryTokenStore();
    this.#schemas = new SchemaCache(this.#fetch, endpoint);
    this.#refresh = new RefreshController({
      store: this.#store,
      skewSeconds: options.refreshSkewSeconds ?? 30,
      redeem: refreshToken => redeem(this.#fetch, endpoint, refreshToken),
      onTerminal: error => this.#end(error),
      now: () => Date.now(),
      random: () => Math.random(),
      after,
    });
  }

  /**
   * Connects; resolves when the server accepted. Safe to call again. While the server cannot be reached the stock client
   * goes on trying, and this goes on waiting.
   * @throws MsgError the terminal failure; MSG_INTERNAL when `disconnect` was called meanwhile.
   */
  connect(): Promise<void> {
    if (this.#connecting !== null) return this.#connecting;
    const connecting = this.#connect().catch((error: unknown) => {
      // After a disconnect it may be another attempt's.
      if (this.#connecting === connecting) this.#connecting = null;
      throw error;
    });
    this.#connecting = connecting;
    return connecting;
  }

  /** Closes the connection and stops every timer; a `connect` that still waits rejects, the next one connects. */
  disconnect(): void {
    this.#disconnects++;
    this.#connecting = null;
    this.#refresh.stop();
    this.#stopWaking?.();
    this.#stopWaking = null;
    this.#stock?.disconnect();
  }

  /**
   * A subscription of the stock client, not yet subscribed. Private channels get their token from the refresh
   * controller. Publications whose payload is not UTF-8 have a `Uint8Array` as data. @throws MsgError MSG_CHANNEL_INVALID, MSG_INTERNAL before `connect`.
   */
  newSubscription(name: string, options: Partial<SubscriptionOptions> = {}): Subscription {
    const { visibility } = parseName(name);
    const needsToken = visibility === 'private' && this.#hasTokens;
    const tokenOptions = needsToken ? { getToken: () => this.#token() } : {};
    const subscription = this.raw().newSubscription(name, { ...tokenOptions, ...options });
    // The first listener: the application's get what it leaves in the publication.
    subscription.on('publication', decodeBinary);
    const history = subscription.history.bind(subscription);
    subscription.history = async options => {
      const result = await history(options);
      result.publications.forEach(decodeBinary);
      return result;
    };
    subscription.on('error', ({ error }) => {
      if (error.code !== CHANNEL_NOT_OPEN || this.#waiting.has(subscription)) return;
      this.#waiting.add(subscription);
      this.#emit('waiting', name);
    });
    subscription.on('state', ({ newState }) => {
      if (newState !== 'subscribing') this.#waiting.delete(subscription);
    });
    return subscription;
  }

  /** The state of a subscription of this client. */
  statusOf(subscription: Pick<Subscription, 'state'>): SubscriptionStatus {
    return this.#waiting.has(subscription) ? 'waiting' : subscription.state;
  }

  /** As {@link newSubscription}, with typed publications. */
  typedSubscribe<T>(name: string, options: Partial<SubscriptionOptions> = {}): TypedSubscription<T> {
    return this.newSubscription(name, options) as unknown as TypedSubscription<T>; // a promise of the schema, not checked
  }

  /** Publishes over the connection. @throws MsgError with the server's code, MSG_CHANNEL_INVALID */
  async publish(name: string, data: unknown): Promise<void> {
    parseName(name);
    try {
      await this.raw().publish(name, data);
    } catch (error) {
      throw error instanceof MsgError ? error : coded(error);
    }
  }

  /** The schema registry; kept up to date from the first call on. @throws MsgError */
  schemas(): Promise<SchemaSnapshot> {
    return this.#schemas.snapshot(this.raw());
  }

  /** The service's descriptor, fetched once. @throws MsgError MSG_BROKER_NOT_READY, MSG_INTERNAL */
  fetchManifest(): Promise<Manifest> {
    this.#manifest ??= fetchManifest(this.#fetch, this.#options.endpoint).catch((error: unknown) => {
      this.#manifest = null;
      throw error;
    });
    return this.#manifest;
  }

  /** The next {@link fetchManifest} asks the server again. */
  invalidateManifest(): void {
    this.#manifest = null;
  }

  /** The pair in use. */
  tokens(): Promise<TokenPair | null> {
    return this.#refresh.pair();
  }

  /** The stock client. @throws MsgError MSG_INTERNAL before `connect`. */
  raw(): Centrifuge {
    if (this.#stock === null) throw new MsgError('MSG_INTERNAL', 'connect first');
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

  async #connect(): Promise<void> {
    const disconnects = this.#disconnects;
    const checkWanted = (): void => {
      if (disconnects !== this.#disconnects) throw new MsgError('MSG_INTERNAL', 'disconnected');
    };
    this.#ended = null;
    this.#hasTokens = await this.#takeInitialPair();
    const created = this.#stock ?? (await this.#create());
    this.#stock ??= created; // an attempt that was given up may have made one meanwhile
    const stock = this.#stock;
    checkWanted();
    if (this.#hasTokens) {
      await this.#refresh.start();
      checkWanted();
      this.#stopWaking ??= onWake(() => this.#refresh.wake());
    }
    stock.connect();
    // The stock client reports only that it is disconnected; the refresh controller reported the reason.
    await stock.ready().catch((error: unknown) => {
      throw this.#ended ?? coded(error);
    });
  }

  /** True when there is a pair: in the options, or in the store. */
  async #takeInitialPair(): Promise<boolean> {
    const { accessToken = '', refreshToken = '', accessExp = 0, refreshExp = 0 } = this.#options;
    const stored = await this.#store.get();
    if (accessToken === '' && refreshToken === '') return stored !== null;
    // A stored pair of the same family is newer: it was made from the pair in the options.
    const family = (token = ''): unknown => decodeJwtPayload(token)?.['fid'];
    const optionFamily = family(refreshToken);
    const isLater = optionFamily !== undefined && optionFamily === family(stored?.refreshToken);
    if (!isLater) await this.#store.set({ accessToken, refreshToken, accessExp, refreshExp });
    return true;
  }

  async #create(): Promise<Centrifuge> {
    const { endpoint, centrifugeOptions } = this.#options;
    const { transports, webtransportPort } = await this.#negotiate();
    const endpoints = transports.map(transport => ({
      transport,
      endpoint: transportEndpoint(endpoint, transport, webtransportPort),
    }));
    return new Centrifuge(endpoints, {
      emulationEndpoint: emulationEndpoint(endpoint),
      // With a token callback the stock client would ask for a token before it connects.
      getToken: this.#hasTokens ? () => this.#token() : null,
      ...centrifugeOptions,
    });
  }

  async #negotiate(): Promise<{
    readonly transports: readonly Transport[];
    readonly webtransportPort: number | undefined;
  }> {
    const { preferTransports = DEFAULT_TRANSPORTS, manifest = true } = this.#options;
    const asPreferred = { transports: preferTransports, webtransportPort: undefined };
    if (!manifest) return asPreferred;
    try {
      const { transports, webtransportPort } = await this.fetchManifest();
      return { transports: pickTransports(preferTransports, transports), webtransportPort };
    } catch (error) {
      // A manifest that cannot be read is not a temporary failure.
      if (!(error instanceof MsgError) || error.code !== 'MSG_BROKER_NOT_READY') throw error;
      this.#emit('manifestUnavailable', error);
      return asPreferred;
    }
  }

  /** A token for the stock client; it expects `UnauthorizedError` when there is no token. */
  async #token(): Promise<string> {
    try {
      return await this.#refresh.token();
    } catch (error) {
      throw this.#ended === null ? error : new UnauthorizedError(this.#ended.message);
    }
  }

  #end(error: MsgError): void {
    this.#ended = error;
    this.#emit('terminal', error);
    this.disconnect();
  }

  #emit<E extends keyof MsgClientEvents>(event: E, argument: Parameters<MsgClientEvents[E]>[0]): void {
    // The types cannot say that listener and argument are of one event.
    for (const listener of this.#listeners[event]) (listener as (of: typeof argument) => void)(argument);
  }
}
