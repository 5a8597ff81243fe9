import { MsgError } from '@msg/core';
import { formatDuration, type ScopePattern } from '@msg/core/internal';
import type { StreamOptions } from '@msg/engine';

/** What a channel says about append streams. Source: append streams 10.1. */
export interface AppendChannelOptions {
  /** Append streams: a producer lets one message grow. Turns `delta` on, unless a rule says otherwise. */
  readonly append: boolean;
  /** Shortest time between two publications of a message, milliseconds. */
  readonly appendWindowMs: number;
  /** Shortest time between two documents in full for one subscriber, milliseconds. */
  readonly appendFullWindowMs: number;
  /** Bytes of a document at most. */
  readonly appendMaxBytes: number;
  /** A message ends as `failed`, `orphaned`, when its producer says nothing for so long, milliseconds. */
  readonly appendOrphanMs: number;
  /** Clients may cancel through the topic `control`. */
  readonly appendControl: boolean;
}

/** Bytes of the queue of a reader that a document leaves free. */
const QUEUE_RESERVE = 65_536;

type Range = readonly [key: string, least: number, most: number, show: (value: number) => string];

const bytes = (value: number): string => `${value} bytes`;

/** The ranges of the options of append streams. Source: append streams 10.1. */
const RANGES: Partial<Record<keyof AppendChannelOptions, Range>> = {
  appendWindowMs: ['append_window', 0, 500, formatDuration],
  appendFullWindowMs: ['append_full_window', 40, 10_000, formatDuration],
  appendMaxBytes: ['append_max_bytes', 4096, 1_048_576, bytes],
  appendOrphanMs: ['append_orphan_timeout', 5000, 3_600_000, formatDuration],
};

function invalid(pattern: string, problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `channel options of ${pattern}: ${problem}`);
}

/** @throws MsgError MSG_INVALID_ARGUMENT for an option outside of its range */
export function checkAppendRanges(pattern: string, options: Partial<AppendChannelOptions>): void {
  for (const [name, [key, least, most, show]] of Object.entries(RANGES)) {
    const value = options[name as keyof typeof RANGES]; // a key of the table
    if (value === undefined) continue;
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) continue;
    throw invalid(pattern, `${key} must be from ${show(least)} to ${show(most)}; got ${show(Number(value))}`);
  }
}

/** The append streams of a channel for the engine. */
export function appendOptions(
  options: AppendChannelOptions,
  hasHistory: boolean,
): Pick<StreamOptions, 'append'> {
  if (!options.append || !hasHistory) return {};
  const { appendMaxBytes, appendOrphanMs, appendWindowMs, appendFullWindowMs } = options;
  return {
    append: {
      maxBytes: appendMaxBytes,
      orphanMs: appendOrphanMs,
      windowMs: appendWindowMs,
      fullWindowMs: appendFullWindowMs,
    },
  };
}

/** What append streams need of a channel. */
interface AppendableOptions extends AppendChannelOptions {
  readonly historySize: number;
  readonly volatile: boolean;
  readonly recovery: string;
  readonly stream: StreamOptions;
}

/** @throws MsgError MSG_INVALID_ARGUMENT for append streams on a service whose broker has none */
export function requireAppendStore([pattern]: readonly ScopePattern[], isAvailable: boolean): void {
  if (pattern === undefined || isAvailable) return;
  const text =
    'append needs a broker with append streams, and the one of this service has none: set append to false';
  throw invalid(pattern.text, text);
}

/** @throws MsgError MSG_INVALID_ARGUMENT for append streams on channels that cannot have them */
export function requireAppendable(
  pattern: string,
  { historySize, volatile, recovery, stream, appendMaxBytes }: AppendableOptions,
  queueBytes: number,
): void {
  if (volatile) throw invalid(pattern, 'append cannot be on together with volatile');
  if (historySize === 0) throw invalid(pattern, 'append needs a history: history_size must be above 0');
  if (stream.size === 0) throw invalid(pattern, 'append needs a history: history_ttl must be above 0');
  if (recovery === 'off') throw invalid(pattern, 'append needs recovery: recovery must be stream or cache');
  const most = Math.floor((queueBytes - QUEUE_RESERVE) / 2);
  if (appendMaxBytes <= most) return;
  const text = `append_max_bytes must be at most ${most}, so that a document fits into limits.queue_bytes; got ${appendMaxBytes}`;
  throw invalid(pattern, text);
}
