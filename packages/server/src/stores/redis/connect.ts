import { MsgError } from '@msg/core';
import { type RedisBackendOptions, type RedisBackends, redisBackends } from '@msg/engine/redis';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { withDeadline } from '@msg/foundation/promises';
import {
  type AroundCommand,
  type ConnectionEvents,
  lua,
  RedisStore,
  type StoreAddress,
  StoreError,
  type Subscriptions,
} from '@msg/redis';
import type { SubsystemState, SubsystemStates } from '../subsystem-state.ts';
import type { RedisOptions } from './options.ts';
import type { SharedStore } from './shared-store.ts';
import { partitionError, storeAddresses, tlsOptions } from './store-address.ts';
import { storeFailure, storeSituation } from './store-failure.ts';
import { StoreTime } from './store-time.ts';

const TIME = lua('./time.lua', import.meta.url);

/** How long a start waits for the store's first answer (messaging details, section 18). */
const BOOT_MS = 5000;
/** Time limit of a health check. */
const HEALTH_MS = 2000;
/** Expiry of the key that a health check writes. */
const PROBE_TTL_MS = 60_000;
const DEFAULT_PREFIX = 'msg';

/** The PUB/SUB channels of a listener. */
export interface Listening {
  /** Handlers of messages, by PUB/SUB channel. */
  readonly channels: ReadonlyMap<string, (text: string) => void>;
  /** Called after messages may have been lost; from now on none are. */
  readonly reconnected: () => void;
}

/** @throws MsgError MSG_INVALID_ARGUMENT for an address or a combination that cannot work. */
export function checkRedisOptions(options: RedisOptions): void {
  storeAddresses(options);
}

function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return withDeadline(clock, ms, work, () => {
    throw new Error(`no answer within ${ms} ms`);
  });
}

/** The problem of a store that failed to execute a command. */
function problemOf(error: unknown): string {
  const rejection = error instanceof StoreError ? error.rejection : undefined;
  return rejection === undefined ? 'does not answer' : `refuses writes: ${rejection}`;
}

/** An answer with its bytes as text, because the service stores only text. */
function asText(answer: unknown): unknown {
  if (answer instanceof Uint8Array) return Buffer.from(answer).toString();
  return Array.isArray(answer) ? answer.map(asText) : answer;
}

/** Rejects with a coded error when the store fails. */
function rejectCoded(error: unknown): never {
  throw storeFailure(error) ?? error;
}

export interface SharedConnectionOptions {
  /** The first store and the further shards of streams and presence. */
  readonly stores: readonly [RedisStore, ...RedisStore[]];
  /** Default `msg`. */
  readonly keyPrefix?: string | undefined;
  /** Partitions of sharded PUB/SUB; default 0, off. */
  readonly partitions?: number | undefined;
  readonly clock: Clock;
}

/** The service's connections to its shared store. */
export class SharedConnection {
  readonly store: SharedStore;
  readonly #redis: RedisStore;
  readonly #stores: readonly [RedisStore, ...RedisStore[]];
  readonly #keyPrefix: string;
  readonly #partitions: number;
  readonly #clock: Clock;
  readonly #time: StoreTime;
  #backends: RedisBackends | undefined;
  #subscriptions: Subscriptions | undefined;

  constructor({ stores, keyPrefix = DEFAULT_PREFIX, partitions = 0, clock }: SharedConnectionOptions) {
    const [redis] = stores;
    this.#redis = redis;
    this.#stores = stores;
    this.#keyPrefix = keyPrefix;
    this.#partitions = partitions;
    this.#clock = clock;
    // On a cluster, keys that one script touches share a slot.
    const begin = redis.cluster ? `{${keyPrefix}}` : keyPrefix;
    const key = (name: string): string => `${begin}:${name}`;
    this.#time = new StoreTime(clock, async () =>
      Number(asText(await redis.run(TIME, [key('keyring')], []))),
    );
    this.store = {
      location: redis.location,
      key,
      now: () => this.#time.now(),
      call: (command, ...args) => redis.call(command, ...args).then(asText, rejectCoded),
      run: (script, keys, args) => redis.run(script, keys, args).then(asText, rejectCoded),
    };
  }

  /**
   * Resolves once every store has answered.
   * @throws MsgError MSG_INVALID_ARGUMENT when sharded PUB/SUB is configured and a store does not support it
   */
  async open(): Promise<void> {
    const opened = Promise.all(this.#stores.map(store => store.open()));
    await within(
      this.#clock,
      BOOT_MS,
      opened.then(() => Promise.all([this.#time.poll(), this.#requireShardedPubSub()])),
    );
  }

  /**
   * Backends for streams, presence and node messages on these stores, with their own keys (messaging details, section
   * 18).
   */
  backends(options: Omit<RedisBackendOptions, 'prefix' | 'partitions'>): RedisBackends {
    const prefix = `${this.#keyPrefix}:b:1`;
    this.#backends = redisBackends(this.#stores, { ...options, prefix, partitions: this.#partitions });
    return this.#backends;
  }

  /** Listens to PUB/SUB channels until it is closed. Rejects when the first connection fails. */
  async listen({ channels, reconnected }: Listening): Promise<void> {
    const subscriptions = this.#redis.subscriptions(this.store.key('probe'), {
      message: (channel, bytes) => channels.get(channel)?.(bytes.toString()),
      restored: reconnected,
    });
    this.#subscriptions = subscriptions;
    await subscriptions.start();
    await Promise.all([...channels.keys()].map(channel => subscriptions.subscribe(channel)));
  }

  /** Tells what happens from now on to the connections for commands of the first store, which has the service's keys. */
  watch(events: ConnectionEvents): void {
    this.#redis.watch(events);
  }

  /** The first store accepts commands. */
  get isReady(): boolean {
    return this.#redis.ready;
  }

  /** False while messages of other nodes are known not to arrive. */
  get isListening(): boolean {
    return this.#subscriptions?.up === true;
  }

  /** Checks what a publish needs: a small write to every store, and the arrival of messages. Never rejects. */
  async health(): Promise<SubsystemStates> {
    const state = this.#backends?.delivery();
    const arrive = state === undefined || (state.publications && state.control);
    const undelivered: SubsystemState = { ok: false, detail: 'publications of other nodes do not arrive' };
    const deaf: SubsystemState = { ok: false, detail: 'messages of other nodes do not arrive' };
    return {
      store: await this.#writable(),
      delivery: arrive ? { ok: true } : undelivered,
      messages: this.isListening ? { ok: true } : deaf,
    };
  }

  async close(): Promise<void> {
    for (const store of this.#stores) store.close();
  }

  async #writable(): Promise<SubsystemState> {
    const states = await Promise.all(this.#stores.map(store => this.#takesWrites(store)));
    return states.find(({ ok }) => !ok) ?? { ok: true };
  }

  /** Whether the store accepts a write; on a cluster the node with the service's keys. */
  async #takesWrites(store: RedisStore): Promise<SubsystemState> {
    const write = store.call('SET', this.store.key('ready'), '1', 'PX', PROBE_TTL_MS);
    return within(this.#clock, HEALTH_MS, write).then(
      () => ({ ok: true }),
      (error: unknown) => ({ ok: false, detail: `${store.location} ${problemOf(error)}` }),
    );
  }

  async #requireShardedPubSub(): Promise<void> {
    if (this.#partitions === 0) return;
    for (const store of this.#stores) {
      if (!(await store.hasShardedPubSub()))
        throw partitionError(`needs Redis 7 or newer on every node of ${store.location}`);
    }
  }
}

/**
 * Connects to the shared store.
 * @throws MsgError MSG_INVALID_ARGUMENT for bad options, MSG_BROKER_INTERNAL when it does not answer within 5 s.
 */
export async function connectSharedStore(
  options: RedisOptions,
  { around, clock = systemClock }: { readonly around?: AroundCommand; readonly clock?: Clock } = {},
): Promise<SharedConnection> {
  const { first, shards } = storeAddresses(options);
  const tls = tlsOptions(options);
  const open = (address: StoreAddress) => new RedisStore({ address, tls, clock, ...defined({ around }) });
  const redis = open(first);
  const further = shards.map(open);
  const connection = new SharedConnection({
    stores: [redis, ...further],
    keyPrefix: options.keyPrefix,
    partitions: options.shardedPubSubPartitions,
    clock,
  });
  try {
    await connection.open();
    return connection;
  } catch (cause) {
    await connection.close();
    if (cause instanceof MsgError) throw cause;
    const problem = cause instanceof Error ? cause.message : 'unknown failure';
    const places = [redis, ...further].map(({ location }) => location).join(', ');
    const text = `the shared store at ${places} cannot be used: ${problem}`;
    throw new MsgError('MSG_BROKER_INTERNAL', text, {
      cause,
      ...defined({ situation: storeSituation(cause) }),
    });
  }
}
