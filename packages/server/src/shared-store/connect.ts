import { MsgError } from '@msg/core';
import { Cluster } from 'ioredis';
import type { RedisOptions } from '../options.ts';
import type { SubsystemState } from '../stores/stores.ts';
import { describeAddress, type HostPort, type StoreAddress } from './address.ts';
import { commandClient, effectiveAddress, type StoreClient, subscriberClient } from './clients.ts';
import type { LuaScript } from './script.ts';
import type { SharedStore } from './shared-store.ts';
import { type Listening, Subscriber } from './subscriber.ts';

/** A boot waits this long for the store's first answer (messaging details, section 18). */
const BOOT_MS = 5000;
/** A request for readiness waits this long. */
const HEALTH_MS = 2000;
const DEFAULT_PREFIX = 'msg';

/** @throws MsgError MSG_INVALID_ARGUMENT for an address or a combination that cannot work. */
export function checkRedisOptions(options: RedisOptions): void {
  effectiveAddress(options);
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The service's connections to its shared store. */
export class SharedConnection {
  readonly store: SharedStore;
  readonly #client: StoreClient;
  readonly #address: StoreAddress;
  readonly #options: RedisOptions;
  #subscriber: Subscriber | undefined;

  constructor(client: StoreClient, address: StoreAddress, options: RedisOptions) {
    this.#client = client;
    this.#address = address;
    this.#options = options;
    const prefix = options.keyPrefix ?? DEFAULT_PREFIX;
    // On a cluster, keys that one script touches share a slot.
    const begin = address.topology === 'cluster' ? `{${prefix}}` : prefix;
    this.store = {
      location: describeAddress(address),
      key: name => `${begin}:${name}`,
      call: (command, ...args) => client.call(command, ...args),
      run: (script, keys, args) => this.#run(script, keys, args),
    };
  }

  async #run(
    script: LuaScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await this.#client.call('EVALSHA', script.sha1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.#client.call('EVAL', script.source, keys.length, ...keys, ...args);
    }
  }

  /** Listens to PUB/SUB channels until closed. Rejects when that is not possible now. */
  async listen(listening: Listening): Promise<void> {
    const nodeFor = (attempt: number) => {
      const nodes = this.#clusterNodes();
      return nodes[attempt % nodes.length];
    };
    const connect = (attempt: number) => subscriberClient(this.#address, this.#options, nodeFor(attempt));
    this.#subscriber = new Subscriber(connect, listening);
    await this.#subscriber.start();
  }

  /** The nodes of a cluster that are known now, and those of the address; elsewhere none. */
  #clusterNodes(): readonly HostPort[] {
    if (!(this.#client instanceof Cluster)) return [];
    const known = this.#client.nodes().map(({ options: { host = '', port = 0 } }) => ({ host, port }));
    return [...known, ...this.#address.hosts];
  }

  /** Asks the store. Never rejects. */
  async health(): Promise<Readonly<Record<string, SubsystemState>>> {
    const deaf: SubsystemState = { ok: false, detail: 'messages of other nodes do not arrive' };
    return {
      store: await within(HEALTH_MS, this.#answers()).then(
        () => ({ ok: true }),
        () => ({ ok: false, detail: `${this.store.location} does not answer` }),
      ),
      messages: this.#subscriber?.up === true ? { ok: true } : deaf,
    };
  }

  /** A read of one key: on a cluster it asks the node that has the service's keys. */
  async #answers(): Promise<void> {
    await this.store.call('EXISTS', this.store.key('keyring'));
  }

  async close(): Promise<void> {
    this.#subscriber?.close();
    this.#client.disconnect();
  }

  /** Resolves once the store has answered. */
  async open(): Promise<void> {
    await within(
      BOOT_MS,
      this.#client.connect().then(() => this.#answers()),
    );
  }
}

/**
 * Connects to the shared store.
 * @throws MsgError MSG_INVALID_ARGUMENT for bad options, MSG_BROKER_INTERNAL when it does not answer within 5 s.
 */
export async function connectSharedStore(options: RedisOptions): Promise<SharedConnection> {
  const address = effectiveAddress(options);
  const client = commandClient(address, options);
  client.on('error', () => {}); // commands report it
  const connection = new SharedConnection(client, address, options);
  try {
    await connection.open();
    return connection;
  } catch (cause) {
    await connection.close();
    const problem = cause instanceof Error ? cause.message : 'unknown failure';
    const text = `the shared store at ${connection.store.location} cannot be used: ${problem}`;
    throw new MsgError('MSG_BROKER_INTERNAL', text, { cause });
  }
}
