import { MsgError, parseName } from '@msg/core';
import {
  coversPattern,
  matchesPattern,
  parsePattern,
  type ScopePattern,
  specificity,
} from '@msg/core/internal';
import { DEFAULT_LIMITS, type StreamOptions } from '@msg/engine';
import {
  type AppendChannelOptions,
  appendOptions,
  checkAppendRanges,
  requireAppendable,
} from './append-options.ts';
import { FEED_PREFIX } from './reserved.ts';

/** What a channel offers its subscribers. Source: messaging details 10.6. */
export interface ChannelOptions extends AppendChannelOptions {
  /** Publications retained; 0 turns history and recovery off. */
  readonly historySize: number;
  /** How long they are retained, milliseconds. */
  readonly historyTtlMs: number;
  /** `stream`, `cache` (latest value only) or `off`. */
  readonly recovery: 'stream' | 'cache' | 'off';
  /** Presence entries, readable by subscribers. */
  readonly presence: boolean;
  /** Join and leave, pushed to subscribers that ask. */
  readonly joinLeave: boolean;
  /** Fossil deltas may be negotiated. */
  readonly delta: boolean;
  /** Subscribers may pass a tags filter; without effect where `delta` is on. */
  readonly tagsFilter: boolean;
  /** Numeric channel ids for clients that understand them. */
  readonly compaction: boolean;
  /** The `history` command for subscribers. */
  readonly clientHistory: boolean;
  /** The payloads that may be published: `any` bytes, or `json`: one JSON value in UTF-8. */
  readonly payload: 'any' | 'json';
  /**
   * For cursors and meters: no publication is retained, whatever the history options say, and a subscriber with more than
   * 64 KiB queued does not get it.
   */
  readonly volatile: boolean;
}

export const DEFAULT_CHANNEL_OPTIONS: ChannelOptions = {
  historySize: 100,
  historyTtlMs: 5 * 60_000,
  recovery: 'stream',
  presence: false,
  joinLeave: false,
  delta: false,
  tagsFilter: false,
  compaction: true,
  clientHistory: true,
  payload: 'any',
  volatile: false,
  append: false,
  appendWindowMs: 40,
  appendFullWindowMs: 250,
  appendMaxBytes: 262_144,
  appendOrphanMs: 30_000,
  appendControl: true,
};

/** Options for the channels that a scope pattern covers; unset ones come from less specific rules. */
export interface ChannelRule extends Partial<ChannelOptions> {
  readonly pattern: string;
}

interface CompiledRule {
  readonly pattern: ScopePattern;
  readonly weight: number;
  readonly options: Partial<ChannelOptions>;
}

/** The resolved options of a channel, and its stream options for the engine. */
export interface EffectiveOptions extends ChannelOptions {
  readonly stream: StreamOptions;
}

function checked({ pattern, ...options }: ChannelRule): Partial<ChannelOptions> {
  const { historySize, historyTtlMs, payload } = options;
  if (historySize !== undefined && !(Number.isInteger(historySize) && historySize >= 0)) {
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `channel options of ${pattern}: history size must be an integer of 0 or more; got ${historySize}`,
    );
  }
  if (historyTtlMs !== undefined && !(historyTtlMs >= 0)) {
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `channel options of ${pattern}: history TTL must be 0 or more; got ${historyTtlMs} ms`,
    );
  }
  if (payload !== undefined && payload !== 'any' && payload !== 'json') {
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `channel options of ${pattern}: payload must be any or json; got ${JSON.stringify(payload)}`,
    );
  }
  checkAppendRanges(pattern, options);
  return options;
}

function merge(rules: readonly CompiledRule[]): EffectiveOptions {
  const merged: ChannelOptions = Object.assign(
    {},
    DEFAULT_CHANNEL_OPTIONS,
    ...rules.map(rule => rule.options),
  );
  const delta = rules.findLast(({ options }) => options.delta !== undefined)?.options.delta ?? merged.append;
  const hasHistory = !merged.volatile && merged.historySize > 0 && merged.historyTtlMs > 0;
  return {
    ...merged,
    delta,
    recovery: hasHistory ? merged.recovery : 'off',
    clientHistory: hasHistory && merged.clientHistory,
    tagsFilter: merged.tagsFilter && !delta,
    stream: {
      size: hasHistory ? merged.historySize : 0,
      ttlMs: hasHistory ? merged.historyTtlMs : 0,
      ...appendOptions(merged, hasHistory),
    },
  };
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Live feeds keep nothing and have no presence. */
const FEED_OPTIONS: EffectiveOptions = {
  ...DEFAULT_CHANNEL_OPTIONS,
  historySize: 0,
  historyTtlMs: 0,
  recovery: 'off',
  clientHistory: false,
  stream: { size: 0, ttlMs: 0 },
};

/**
 * Channel options by pattern: for every option the most specific matching rule that sets it wins, ties by pattern
 * text.
 */
export class ChannelOptionRules {
  /** Least specific first, so that a later one overrides. */
  readonly #rules: readonly CompiledRule[];
  readonly #cache = new Map<string, EffectiveOptions>();
  readonly #default: EffectiveOptions = merge([]);

  /**
   * @param queueBytes what may wait for a slow reader, which bounds the documents of append streams
   * @throws MsgError MSG_INVALID_ARGUMENT for a bad pattern or value.
   */
  constructor(rules: readonly ChannelRule[], queueBytes = DEFAULT_LIMITS.queueBytes) {
    this.#rules = rules
      .map(rule => {
        const pattern = parsePattern(rule.pattern);
        return { pattern, weight: specificity(pattern), options: checked(rule) };
      })
      .sort((a, b) => a.weight - b.weight || compareText(b.pattern.text, a.pattern.text));
    for (const { pattern } of this.#rules) {
      const options = this.ofPattern(pattern);
      if (options.append) requireAppendable(pattern.text, options, queueBytes);
    }
  }

  /** The patterns that turn append streams on, the most general one first. */
  get appending(): readonly ScopePattern[] {
    return this.#rules.filter(({ options }) => options.append === true).map(({ pattern }) => pattern);
  }

  /** The options of all channels that a pattern covers, as far as rules say. */
  ofPattern(pattern: ScopePattern): EffectiveOptions {
    return merge(this.#rules.filter(rule => coversPattern(rule.pattern, pattern)));
  }

  /** The options of a channel. Those of live feeds have none of the rules. */
  of(channel: string): EffectiveOptions {
    if (channel.startsWith(FEED_PREFIX)) return FEED_OPTIONS;
    if (this.#rules.length === 0) return this.#default;
    // Channels that match the same rules share one result.
    const matching = this.#matching(channel);
    const key = matching.map(rule => rule.pattern.text).join(' ');
    let options = this.#cache.get(key);
    if (options === undefined) {
      options = merge(matching);
      this.#cache.set(key, options);
    }
    return options;
  }

  /** The rules that match a channel, the least specific first. */
  matching(channel: string): readonly ChannelRule[] {
    if (channel.startsWith(FEED_PREFIX)) return [];
    return this.#matching(channel).map(({ pattern, options }) => ({ ...options, pattern: pattern.text }));
  }

  #matching(channel: string): readonly CompiledRule[] {
    const name = parseName(channel);
    return this.#rules.filter(rule => matchesPattern(rule.pattern, name));
  }
}
