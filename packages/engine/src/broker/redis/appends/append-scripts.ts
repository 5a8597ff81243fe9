import type { Clock, Random } from '@msg/foundation/clock';
import type { LuaScript, PubSubKind, RedisArgument, RedisStore } from '@msg/redis';
import { newEpoch } from '../../../stream/epoch.ts';
import type { ChannelKeyNames } from '../keys.ts';

/** Channels whose names of keys are kept: they are long texts, and every request has seven of them. */
const MAX_KEPT = 1024;

const PUBLISH_COMMAND = { plain: 'PUBLISH', sharded: 'SPUBLISH' } as const;

export interface AppendScriptsOptions {
  readonly store: RedisStore;
  readonly keys: ChannelKeyNames;
  readonly kind: PubSubKind;
  readonly clock: Clock;
  readonly random: Random;
}

/** Runs scripts on the keys of one channel's append streams. */
export class AppendScripts {
  readonly store: RedisStore;
  readonly keys: ChannelKeyNames;
  readonly clock: Clock;
  readonly random: Random;
  /** The command that publishes. */
  readonly command: string;
  readonly #keysByChannel = new Map<string, readonly string[]>();

  constructor({ store, keys, kind, clock, random }: AppendScriptsOptions) {
    this.store = store;
    this.keys = keys;
    this.clock = clock;
    this.random = random;
    this.command = PUBLISH_COMMAND[kind];
  }

  newEpoch(): string {
    return newEpoch(this.random);
  }

  run(script: LuaScript, channel: string, args: readonly RedisArgument[]): Promise<unknown> {
    return this.store.run(script, this.#keysOf(channel), args);
  }

  /** As {@link run}, for a script whose answer may hold a document. */
  runLarge(script: LuaScript, channel: string, args: readonly RedisArgument[]): Promise<unknown> {
    return this.store.runLarge(script, this.#keysOf(channel), args);
  }

  #keysOf(channel: string): readonly string[] {
    let keys = this.#keysByChannel.get(channel);
    if (keys !== undefined) return keys;
    if (this.#keysByChannel.size >= MAX_KEPT) this.#keysByChannel.clear();
    keys = [this.keys.stream(channel), this.keys.meta(channel), ...this.keys.appends(channel)];
    this.#keysByChannel.set(channel, keys);
    return keys;
  }
}
