import { MsgError } from '@msg/core';
import { type RedisBackendOptions, type RedisBackends, redisBackends } from '@msg/engine/redis';
import { type AroundCommand, RedisStore, type StoreAddress, type Subscriptions } from '@msg/redis';
import type { RedisOptions } from '../options.ts';
import type { SubsystemState } from '../stores/stores.ts';
import type { SharedStore } from './shared-store.ts';
import { partitionFault, storeAddresses, tlsOptions } from './store-address.ts';

/** A boot waits this long for the store's first answer (messaging details, section 18). */
const BOOT_MS = 5000;
/** A request for readiness waits this long. */
const HEALTH_MS = 2000;
const DEFAULT_PREFIX = 'msg';

/** What is listened to. */
export interface Listening {
  /** What to do with messages, by PUB/SUB channel. */
  readonly channels: ReadonlyMap<string, (text: string) => void>;
  /** Messages were lost, as far as anybody knows; from now on none are. */
  readonly reconnected: () => void;
}

/** @throws MsgError MSG_INVALID_ARGUMENT for an address or a combination that cannot work. */
export function checkRedisOptions(options: RedisOptions): void {
  storeAddresses(options);
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** An answer whose bytes are text: whatever the service stores is. */
function asText(answer: unknown): unknown {
  if (answer instanceof Uint8Array) return Buffer.from(answer).toString();
  return Array.isArray(answer) ? answer.map(asText) : answer;
}

export interface SharedConnectionOptions {
  /** The first, and those over which streams and presence are spread besides. */
  readonly stores: readonly [RedisStore, ...RedisStore[]];
  /** Default `msg`. */
  readonly keyPrefix?: string | undefined;
  /** Of sharded PUB/SUB; default 0, off. */
  readonly partitions?: number | undefined;
}

/** The service's connections to its shared store. */
export class SharedConnection {
  readonly store: SharedStore;
  readonly #redis: RedisStore;
  readonly #stores: readonly [RedisStore, ...RedisStore[]];
  readonly #keyPrefix: string;
  readonly #partitions: number;
  #backends: RedisBackends | undefined;
  #subscriptions: Subscriptions | undefined;

  constructor({ stores, keyPrefix = DEFAULT_PREFIX, partitions = 0 }: SharedConnectionOptions) {
    const [redis] = stores;
    this.#redis = redis;
    this.#stores = stores;
    this.#keyPrefix = keyPrefix;
    this.#partitions = partitions;
    // On a cluster, keys that one script touches share a slot.
    const begin = redis.cluster ? `{${keyPrefix}}` : keyPrefix;
    this.store = {
      location: redis.location,
      key: name => `${begin}:${name}`,
      call: async (command, ...args) => asText(await redis.call(command, ...args)),
      run: async (script, keys, args) => asText(await redis.run(script, keys, args)),
    };
  }

  /**
   * Resolves once every store has answered.
   * @throws MsgError MSG_INVALID_ARGUMENT when one does not know sharded PUB/SUB, and it is asked for.
   */
  async open(): Promise<void> {
    const opened = Promise.all(this.#stores.map(store => store.open()));
    await within(
      BOOT_MS,
      opened.then(() => Promise.all([this.#answers(), this.#requireShardedPubSub()])),
    );
  }

  /** Streams, presence and node messages on these stores, under keys of their own (messaging details, section 18). */
  backends(options: Omit<RedisBackendOptions, 'prefix' | 'partitions'>): RedisBackends {
    const prefix = `${this.#keyPrefix}:b:1`;
    this.#backends = redisBackends(this.#stores, { ...options, prefix, partitions: this.#partitions });
    return this.#backends;
  }

  /** Listens to PUB/SUB channels until closed. Rejects when that is not possible now. */
  async listen({ channels, reconnected }: Listening): Promise<void> {
    const subscriptions = this.#redis.subscriptions(this.store.key('probe'), {
      message: (channel, bytes) => channels.get(channel)?.(bytes.toString()),
      restored: reconnected,
    });
    this.#subscriptions = subscriptions;
    await subscriptions.start();
    await Promise.all([...channels.keys()].map(channel => subscriptions.subscribe(channel)));
  }

  /** Asks the store. Never rejects. */
  async health(): Promise<Readonly<Record<string, SubsystemState>>> {
    const state = this.#backends?.delivery();
    const arrive = state === undefined || (state.publications && state.control);
    const undelivered: SubsystemState = { ok: false, detail: 'publications of other nodes do not arrive' };
    const deaf: SubsystemState = { ok: false, detail: 'messages of other nodes do not arrive' };
    return {
      store: await within(HEALTH_MS, this.#answers()).then(
        () => ({ ok: true }),
        () => ({ ok: false, detail: `${this.store.location} does not answer` }),
      ),
      delivery: arrive ? { ok: true } : undelivered,
      messages: this.#subscriptions?.up === true ? { ok: true } : deaf,
    };
  }

  async close(): Promise<void> {
    for (const store of this.#stores) store.close();
  }

  async #requireShardedPubSub(): Promise<void> {
    if (this.#partitions === 0) return;
    for (const store of this.#stores) {
      if (!(await store.hasShardedPubSub()))
        throw partitionFault(`needs Redis 7 or newer on every node of ${store.location}`);
    }
  }

  /** A read of one key: on a cluster it asks the node that has the service's keys. */
  async #answers(): Promise<void> {
    await this.store.call('EXISTS', this.store.key('keyring'));
  }
}

/**
 * Connects to the shared store.
 * @throws MsgError MSG_INVALID_ARGUMENT for bad options, MSG_BROKER_INTERNAL when it does not answer within 5 s.
 */
export async function connectSharedStore(
  options: RedisOptions,
  around?: AroundCommand,
): Promise<SharedConnection> {
  const { first, shards } = storeAddresses(options);
  const tls = tlsOptions(options);
  const open = (address: StoreAddress) =>
    new RedisStore({ address, tls, ...(around === undefined ? {} : { around }) });
  const redis = open(first);
  const further = shards.map(open);
  const connection = new SharedConnection({
    stores: [redis, ...further],
    keyPrefix: options.keyPrefix,
    partitions: options.shardedPubSubPartitions,
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
    throw new MsgError('MSG_BROKER_INTERNAL', text, { cause });
  }
}
