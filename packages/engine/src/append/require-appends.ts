import type { StreamOptions } from '../stream/contract.ts';
import type { AppendingOptions } from './contract.ts';
import { invalidAppend } from './refusal.ts';

/** The options of a channel that takes append streams. @throws AppendRefused `invalid` for one that does not */
export function requireAppends(stream: StreamOptions): AppendingOptions {
  const { append } = stream;
  if (append === undefined)
    throw invalidAppend('the channel takes no append streams: its option append is off');
  if (stream.size <= 0 || stream.ttlMs <= 0)
    throw invalidAppend('append streams need a channel with history');
  return { ...stream, append };
}
