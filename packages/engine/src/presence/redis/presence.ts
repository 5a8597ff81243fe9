import type { ClientInfo } from '@msg/protocol';
import { decodeClientInfo, encodeClientInfo } from '@msg/protocol/internal';
import { lua, type RedisStore } from '@msg/redis';
import { shardOf } from '@msg/redis/internal';
import { ChannelKeyNames } from '../../broker/redis/keys.ts';
import type { Presence, PresenceCounts } from '../contract.ts';

const ADD = lua('./add.lua', import.meta.url);
const REMOVE = lua('./remove.lua', import.meta.url);
const GET = lua('./get.lua', import.meta.url);

const DEFAULT_TTL_S = 60;

/** Options of presence on Redis. */
export interface RedisPresenceOptions {
  /** At least one; channels are spread over them as their streams are. */
  readonly stores: readonly RedisStore[];
  readonly prefix: string;
  /** Seconds after which an entry that was not refreshed is removed; default 60. */
  readonly ttlSeconds?: number;
}

interface Shard {
  readonly store: RedisStore;
  readonly keys: ChannelKeyNames;
}

/** Presence of all nodes, in Redis (client protocol 16.6). */
export class RedisPresence implements Presence {
  readonly #shards: readonly Shard[];
  readonly #ttlSeconds: number;

  constructor({ stores, prefix, ttlSeconds = DEFAULT_TTL_S }: RedisPresenceOptions) {
    this.#shards = stores.map(store => ({ store, keys: new ChannelKeyNames(prefix, store) }));
    this.#ttlSeconds = ttlSeconds;
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async add(channel: string, clientId: string, info: ClientInfo): Promise<void> {
    const { store, keys } = this.#of(channel);
    await store.run(ADD, keys.presence(channel), [clientId, encodeClientInfo(info), this.#ttlSeconds]);
  }

  async remove(channel: string, clientId: string): Promise<void> {
    const { store, keys } = this.#of(channel);
    await store.run(REMOVE, keys.presence(channel), [clientId]);
  }

  async get(channel: string): Promise<ReadonlyMap<string, ClientInfo>> {
    const { store, keys } = this.#of(channel);
    const flat = (await store.runLarge(GET, keys.presence(channel), [])) as readonly Buffer[];
    const entries = new Map<string, ClientInfo>();
    for (let i = 0; i + 1 < flat.length; i += 2) {
      entries.set(String(flat[i]), decodeClientInfo(flat[i + 1] as Buffer));
    }
    return entries;
  }

  async counts(channel: string): Promise<PresenceCounts> {
    const entries = await this.get(channel);
    const users = new Set([...entries.values()].map(({ user }) => user));
    return { clients: entries.size, users: users.size };
  }

  #of(channel: string): Shard {
    return this.#shards[shardOf(channel, this.#shards.length)] as Shard;
  }
}
