import { MsgError, parseName } from '@msg/core';
import { matchesPattern, parsePattern, type ScopePattern, specificity } from '@msg/core/internal';
import type { StreamOptions } from '@msg/engine';

/** What a channel offers its subscribers. Source: messaging details 10.6. */
export interface ChannelOptions {
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
      `channel options of ${pattern}: history size must be an integer >= 0`,
    );
  }
  if (historyTtlMs !== undefined && !(historyTtlMs >= 0)) {
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `channel options of ${pattern}: history TTL must not be negative`,
    );
  }
  if (payload !== undefined && payload !== 'any' && payload !== 'json') {
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `channel options of ${pattern}: payload must be any or json; got ${JSON.stringify(payload)}`,
    );
  }
  return options;
}

function merge(rules: readonly CompiledRule[]): EffectiveOptions {
  const merged: ChannelOptions = Object.assign(
    {},
    DEFAULT_CHANNEL_OPTIONS,
    ...rules.map(rule => rule.options),
  );
  const kept = !merged.volatile && merged.historySize > 0 && merged.historyTtlMs > 0;
  return {
    ...merged,
    recovery: kept ? merged.recovery : 'off',
    clientHistory: kept && merged.clientHistory,
    tagsFilter: merged.tagsFilter && !merged.delta,
    stream: { size: kept ? merged.historySize : 0, ttlMs: kept ? merged.historyTtlMs : 0 },
  };
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * Channel options by pattern: for every option the most specific matching rule that sets it wins, ties by pattern
 * text.
 */
export class ChannelOptionRules {
  /** Least specific first, so that a later one overrides. */
  readonly #rules: readonly CompiledRule[];
  readonly #cache = new Map<string, EffectiveOptions>();
  readonly #default: EffectiveOptions = merge([]);

  /** @throws MsgError MSG_INVALID_ARGUMENT for a bad pattern or value. */
  constructor(rules: readonly ChannelRule[]) {
    this.#rules = rules
      .map(rule => {
        const pattern = parsePattern(rule.pattern);
        return { pattern, weight: specificity(pattern), options: checked(rule) };
      })
      .sort((a, b) => a.weight - b.weight || compareText(b.pattern.text, a.pattern.text));
  }

  /** The options of a channel. */
  of(channel: string): EffectiveOptions {
    if (this.#rules.length === 0) return this.#default;
    // Channels that match the same rules share one result.
    const name = parseName(channel);
    const matching = this.#rules.filter(rule => matchesPattern(rule.pattern, name));
    const key = matching.map(rule => rule.pattern.text).join(' ');
    let options = this.#cache.get(key);
    if (options === undefined) {
      options = merge(matching);
      this.#cache.set(key, options);
    }
    return options;
  }
}
