import type { Clock, Random } from '@msg/foundation/clock';
import type { LuaScript, PubSubKind, RedisArgument, RedisStore } from '@msg/redis';
import { newEpoch } from '../../../stream/epoch.ts';
import type { ChannelKeyNames } from '../keys.ts';

/** Channels whose names of keys are kept: they are long texts, and every request has several of them. */
const MAX_KEPT = 1024;
/** The stream, its meta and the body of the open message. */
const TEXT_KEYS = 3;

const PUBLISH_COMMAND = { plain: 'PUBLISH', sharded: 'SPUBLISH' } as const;

interface ScriptKeys {
  readonly all: readonly string[];
  readonly text: readonly string[];
}

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
  readonly #keysByChannel = new Map<string, ScriptKeys>();

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
    return this.store.run(script, this.#keysOf(channel).all, args);
  }

  /** As {@link run}, for a script that needs no more than the stream and the body of the open message. */
  runOnText(script: LuaScript, channel: string, args: readonly RedisArgument[]): Promise<unknown> {
    return this.store.run(script, this.#keysOf(channel).text, args);
  }

  /** As {@link run}, for a script whose answer may hold a document. */
  runLarge(script: LuaScript, channel: string, args: readonly RedisArgument[]): Promise<unknown> {
    return this.store.runLarge(script, this.#keysOf(channel).all, args);
  }

  #keysOf(channel: string): ScriptKeys {
    let keys = this.#keysByChannel.get(channel);
    if (keys !== undefined) return keys;
    if (this.#keysByChannel.size >= MAX_KEPT) this.#keysByChannel.clear();
    const all = [this.keys.stream(channel), this.keys.meta(channel), ...this.keys.appends(channel)];
    keys = { all, text: all.slice(0, TEXT_KEYS) };
    this.#keysByChannel.set(channel, keys);
    return keys;
  }
}
