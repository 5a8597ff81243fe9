import { formatDuration } from '@msg/core/internal';
import { type ChannelOptionRules, type ChannelOptions, DEFAULT_CHANNEL_OPTIONS } from './channel-options.ts';

/** Option names of the library for the names in the configuration file. */
export const OPTION_NAMES = {
  history_size: 'historySize',
  history_ttl: 'historyTtlMs',
  recovery: 'recovery',
  presence: 'presence',
  join_leave: 'joinLeave',
  delta: 'delta',
  tags_filter: 'tagsFilter',
  compaction: 'compaction',
  client_history: 'clientHistory',
  payload: 'payload',
  volatile: 'volatile',
  append: 'append',
  append_window: 'appendWindowMs',
  append_full_window: 'appendFullWindowMs',
  append_max_bytes: 'appendMaxBytes',
  append_orphan_timeout: 'appendOrphanMs',
  append_control: 'appendControl',
} as const satisfies Record<string, keyof ChannelOptions>;

/** One option of a channel as it is in effect, and why. */
export interface ExplainedOption {
  /** As in the configuration file. */
  readonly name: string;
  readonly value: string | number | boolean;
  /** The rule that decided it; empty: the default. */
  readonly pattern: string;
}

/**
 * The options of a channel, each with the pattern of the rule that decided it. Where another option overrides one, as `volatile` does
 * the history, it is the rule of that other.
 */
export function explainOptions(
  options: Pick<ChannelOptionRules, 'of' | 'matching'>,
  channel: string,
): readonly ExplainedOption[] {
  const rules = options.matching(channel);
  const { stream, ...rest } = options.of(channel);
  const asked: ChannelOptions = Object.assign({}, DEFAULT_CHANNEL_OPTIONS, ...rules);
  const effective: ChannelOptions = { ...rest, historySize: stream.size, historyTtlMs: stream.ttlMs };
  const decider = (name: keyof ChannelOptions): string => {
    if (asked[name] !== effective[name]) {
      const other = overrider(name, asked);
      if (other !== name) return decider(other);
    }
    return rules.findLast(rule => rule[name] !== undefined)?.pattern ?? '';
  };
  return Object.entries(OPTION_NAMES).map(([name, option]) => {
    const value = effective[option];
    const isTime = option.endsWith('Ms') && typeof value === 'number';
    return { name, value: isTime ? duration(value) : value, pattern: decider(option) };
  });
}

function duration(ms: number): string {
  return Number.isFinite(ms) ? formatDuration(ms) : 'never';
}

/** The option because of which another one is not as it was asked for. */
function overrider(name: keyof ChannelOptions, asked: ChannelOptions): keyof ChannelOptions {
  if (name === 'delta') return 'append';
  if (name === 'tagsFilter') return 'delta';
  if (asked.volatile) return 'volatile';
  return asked.historySize === 0 ? 'historySize' : 'historyTtlMs';
}
