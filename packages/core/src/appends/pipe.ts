import { isMsgError } from '../errors.ts';
import type { AppendStreamResult, CompleteOptions, Written } from './options.ts';

/** What yields texts and items. */
export type WrittenSource = AsyncIterable<Written> | ReadableStream<Written>;

/** The part of a writer that a source needs. */
interface Sink {
  readonly signal: AbortSignal;
  /** Nothing ended the message yet, and nothing is wrong. */
  readonly isGoing: boolean;
  write(written: Written): Promise<void>;
  complete(options?: CompleteOptions): Promise<AppendStreamResult>;
  cancel(reason: string): Promise<AppendStreamResult>;
  fail(reason: string): Promise<AppendStreamResult>;
}

/** How a source is written. */
export interface PipeOptions {
  /** Ends the message as cancelled. */
  readonly signal?: AbortSignal;
  /** What the end of the source says. */
  readonly complete?: CompleteOptions;
}

/** Writes everything that a source yields, and ends the message as the source ends. @throws the error of the source */
export async function pipeInto(
  writer: Sink,
  source: WrittenSource,
  { signal, complete }: PipeOptions,
): Promise<AppendStreamResult> {
  const stop = signal === undefined ? writer.signal : AbortSignal.any([signal, writer.signal]);
  const stopped = Promise.withResolvers<undefined>();
  const end = (): void => stopped.resolve(undefined);
  stop.addEventListener('abort', end, { once: true });
  const reader = readerOf(source);
  try {
    while (!stop.aborted) {
      const next = await Promise.race([reader.next(), stopped.promise]);
      if (next === undefined) break;
      if (next.done === true) return await writer.complete(complete);
      await writer.write(next.value);
    }
  } catch (error) {
    if (writer.isGoing) await writer.fail('the source failed').catch(() => {}); // the source's error counts
    throw error;
  } finally {
    stop.removeEventListener('abort', end);
  }
  void Promise.resolve(reader.return?.()).catch(() => {}); // how it ends is of no interest
  const reason: unknown = writer.signal.reason;
  return writer.cancel(isMsgError(reason) ? (reason.meta['reason'] ?? '') : '');
}

/** One reader for both kinds of sources. */
function readerOf(source: WrittenSource): AsyncIterator<Written, unknown> {
  if (!('getReader' in source)) return source[Symbol.asyncIterator]();
  const reader = source.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? { done, value } : { done: false, value };
    },
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}
