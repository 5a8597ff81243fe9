import type { ConnectionOptions } from 'node:tls';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { AtMost, withDeadline } from '@msg/foundation/promises';
import { Cluster, type Redis } from 'ioredis';
import { describeAddress, type HostPort, parseStoreAddress, type StoreAddress } from './address.ts';
import { commandClient, type RedisClient, subscriberClient } from './clients.ts';
import { type RedisArgument, StoreCommand } from './command.ts';
import { JoinedWrites } from './joined-writes.ts';
import { type LuaScript, lua } from './script.ts';
import { rejectionOf, StoreError, storeError } from './store-error.ts';
import { type PubSubKind, type SubscriptionEvents, Subscriptions } from './subscriptions.ts';

const PUBLISH = lua('./publish.lua', import.meta.url);

/** How long `open` waits for the first answer. */
const OPEN_MS = 5000;

/** Scripts with large answers that run at the same time. */
const LARGE_AT_ONCE = 16;
/** How long one of them may wait for the others, milliseconds. */
const TURN_MS = 4000;

/** Options of connections to a store. */
export interface RedisStoreOptions {
  /** One of the forms of {@link parseStoreAddress}, or what it returns. */
  readonly address: string | StoreAddress;
  /** For addresses with TLS: certificate authority, server name and so on. */
  readonly tls?: ConnectionOptions;
  /** Wraps every command, for tracing. */
  readonly around?: AroundCommand;
  /** Default: the system's. The client library's own timeouts use the system's time. */
  readonly clock?: Clock;
}

/** What happens to connections for commands; on a cluster to those to each of its nodes, and to the cluster as a whole. */
export interface ConnectionEvents {
  /** One is lost. */
  readonly lost: () => void;
  /** One accepts commands, the first time and again. */
  readonly ready: () => void;
}

/** Runs a command's work with steps around it, and returns the work's result. */
export type AroundCommand = <T>(command: string, work: () => Promise<T>) => Promise<T>;

/**
 * Connections to one Redis-compatible store. A failing command rejects within a few seconds. No command is repeated,
 * because one without an answer may have been executed, and none waits for a connection.
 */
export class RedisStore {
  /** Location for the operator, without credentials. */
  readonly location: string;
  /** True on a cluster, where the keys of one script need a common hash tag. */
  readonly cluster: boolean;
  readonly #client: RedisClient;
  readonly #address: StoreAddress;
  readonly #tls: ConnectionOptions;
  readonly #clock: Clock;
  readonly #around: AroundCommand | undefined;
  readonly #large: AtMost;
  readonly #writes: JoinedWrites;
  /** Commands without an answer so far. */
  #underWay = 0;
  readonly #subscriptions = new Set<Subscriptions>();
  #lastError: Error | undefined;

  constructor({ address, tls = {}, around, clock = systemClock }: RedisStoreOptions) {
    this.#address = typeof address === 'string' ? parseStoreAddress(address) : address;
    this.#tls = tls;
    this.#around = around;
    this.#clock = clock;
    this.#writes = new JoinedWrites(clock);
    this.#large = new AtMost({
      most: LARGE_AT_ONCE,
      clock,
      waitMs: TURN_MS,
      late: () => new StoreError('NO_ANSWER', false),
    });
    this.location = describeAddress(this.#address);
    this.cluster = this.#address.topology === 'cluster';
    this.#client = commandClient(this.#address, tls, clock);
    // Commands report errors; `open` reports the cause instead of the closed connection.
    this.#client.on('error', (error: Error) => {
      this.#lastError = error;
    });
  }

  /** Commands are accepted. */
  get ready(): boolean {
    return this.#client.status === 'ready';
  }

  /** Tells what happens from now on to the connections for commands. */
  watch({ lost, ready }: ConnectionEvents): void {
    const follow = (client: Redis): void => {
      client.on('close', lost).on('ready', ready);
    };
    const client = this.#client;
    if (client instanceof Cluster) {
      for (const node of client.nodes()) follow(node);
      client.on('+node', follow).on('ready', ready);
    } else follow(client);
  }

  /** Connects. Rejects with a StoreError or the network's error, and after 5 s. */
  async open(): Promise<void> {
    const opened = this.#connect().catch((error: unknown) => {
      throw rejectionOf(this.#lastError) ?? this.#lastError ?? error;
    });
    await withDeadline(this.#clock, OPEN_MS, opened, () => {
      throw new Error(`no answer within ${OPEN_MS} ms`);
    });
  }

  async #connect(): Promise<void> {
    await this.#client.connect();
    if (!(this.#client instanceof Cluster)) return;
    // The client connects to a cluster's nodes at their first use, and would refuse further commands until then.
    await Promise.allSettled(this.#client.nodes('master').map(node => node.ping()));
  }

  /**
   * Runs one command; bulk answers are bytes.
   * @throws StoreError when the store or its connection fails; error replies to the command as the library's errors
   */
  call(command: string, ...args: RedisArgument[]): Promise<unknown> {
    return this.#call(command, args);
  }

  #call(command: string, args: readonly RedisArgument[], script?: LuaScript): Promise<unknown> {
    if (this.#around === undefined) return this.#send(command, args, script);
    return this.#around(command, () => this.#send(command, args, script));
  }

  /** A command goes out at once unless others are under way: then those of a turn go out together. */
  #send(command: string, args: readonly RedisArgument[], script?: LuaScript): Promise<unknown> {
    const writes = this.#underWay > 0 ? this.#writes : undefined;
    const sent = new StoreCommand(command, args, { writes, script });
    this.#underWay++;
    return (this.#client.sendCommand(sent) as Promise<unknown>).then(
      answer => {
        this.#underWay--;
        return answer;
      },
      (cause: unknown) => {
        this.#underWay--;
        throw storeError(cause, sent);
      },
    );
  }

  /**
   * Runs a script as one atomic step; bulk answers are bytes. Scripts of one server run in the order of the calls, unless
   * an operator makes it forget them (`SCRIPT FLUSH`). @throws StoreError, see {@link RedisStore.call}.
   */
  run(script: LuaScript, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown> {
    const named = [script.sha1, keys.length, ...keys, ...args];
    return this.#call('EVALSHA', named, script).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.call('EVAL', script.source, keys.length, ...keys, ...args);
    });
  }

  /**
   * As {@link RedisStore.run}, for scripts whose answers may hold megabytes, each of them whole in memory: 16 run at the
   * same time, the others wait in their order. @throws StoreError also when the turn does not come within 4 s
   */
  runLarge(script: LuaScript, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown> {
    return this.#large.run(() => this.run(script, keys, args));
  }

  /**
   * Publishes to a PUB/SUB channel. On a cluster all messages of a channel go through the node of its slot, which keeps
   * their order; a plain PUBLISH may go through any node.
   */
  async publish(channel: string, message: RedisArgument, kind: PubSubKind = 'plain'): Promise<void> {
    if (kind === 'sharded') await this.call('SPUBLISH', channel, message);
    else if (this.cluster) await this.run(PUBLISH, [channel], [message]);
    else await this.call('PUBLISH', channel, message);
  }

  /** Whether the store supports sharded PUB/SUB: a cluster whose masters all have the command. */
  async hasShardedPubSub(): Promise<boolean> {
    if (!(this.#client instanceof Cluster)) return false;
    const asked = this.#client.nodes('master').map(node => node.call('COMMAND', 'INFO', 'SSUBSCRIBE'));
    return (await Promise.all(asked)).every(answer => Array.isArray(answer) && Array.isArray(answer[0]));
  }

  /**
   * A new PUB/SUB connection, not yet started. `probeChannel` carries only its probes; all sharded channels of one
   * connection share its slot.
   */
  subscriptions(probeChannel: string, events: SubscriptionEvents, kind: PubSubKind = 'plain'): Subscriptions {
    const created = new Subscriptions({
      clock: this.#clock,
      kind,
      connect: async attempt => {
        const place = kind === 'plain' ? this.#anyNode(attempt) : await this.#ownerOf(probeChannel);
        return subscriberClient(this.#address, this.#tls, place);
      },
      probe: channel => this.publish(channel, '', kind),
      probeChannel,
      events,
    });
    this.#subscriptions.add(created);
    return created;
  }

  /** Ends every connection. Safe to call again. */
  close(): void {
    for (const subscriptions of this.#subscriptions) subscriptions.close();
    this.#subscriptions.clear();
    this.#client.disconnect();
  }

  /** A node of the cluster, another one for each attempt; undefined without a cluster. */
  #anyNode(attempt: number): HostPort | undefined {
    if (!(this.#client instanceof Cluster)) return undefined;
    const nodes = this.#client.nodes().map(({ options: { host = '', port = 0 } }) => ({ host, port }));
    const places = [...nodes, ...this.#address.hosts];
    return places[attempt % places.length];
  }

  /** The master of a channel's slot. Publishing first makes the client follow a moved slot. */
  async #ownerOf(channel: string): Promise<HostPort> {
    if (!(this.#client instanceof Cluster)) throw new Error('only a cluster has sharded PUB/SUB');
    await this.publish(channel, '', 'sharded');
    const slot = Number(await this.call('CLUSTER', 'KEYSLOT', channel));
    const owner = this.#client.slots[slot]?.[0];
    if (owner === undefined) throw new Error('the owner of the slot is unknown');
    const colon = owner.lastIndexOf(':');
    return { host: owner.slice(0, colon), port: Number(owner.slice(colon + 1)) };
  }
}

/** Opens a store. Rejects when it does not answer within 5 s. @throws InvalidAddress */
export async function openRedis(options: RedisStoreOptions): Promise<RedisStore> {
  const store = new RedisStore(options);
  try {
    await store.open();
    return store;
  } catch (error) {
    store.close();
    throw error;
  }
}
