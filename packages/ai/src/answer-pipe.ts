import { type AppendFormat, type AppendStatus, type AppendWriter, isMsgError } from '@msg/core';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { UIMessageChunk } from 'ai';
import { ChunkItems } from './chunk-items.ts';

/** What yields an answer. */
export type Source<T> = AsyncIterable<T> | ReadableStream<T>;

/** An answer that has ended. */
export interface RunResult {
  /** Id of its message in the channel. */
  readonly message: string;
  readonly status: Exclude<AppendStatus, 'streaming'>;
  /** Of a stop or a failure. */
  readonly reason: string;
  /** What the model said, without reasoning and tools. */
  readonly text: string;
}

/** How an answer is piped. */
export interface PipeOptions {
  /** What readers see of an error that the source throws; default `internal error`. */
  readonly onError?: (error: unknown) => string;
  /** Called once the answer has ended, before `pipe` resolves: where an application saves it. */
  readonly onEnd?: (result: RunResult) => void | Promise<void>;
}

type Part = UIMessageChunk | string;
type End = Pick<RunResult, 'status' | 'reason'>;

/** How long a source may go on after a stop. The service itself ends the message after 5 s. */
const STOP_MS = 4000;
const MOST_REASON_BYTES = 256;
const DONE: IteratorResult<Part, unknown> = { done: true, value: undefined };

/** Writes one answer into its message. */
export class AnswerPipe {
  readonly #writer: AppendWriter;
  readonly #format: AppendFormat;
  readonly #clock: Clock;
  readonly #items: ChunkItems;
  #text = '';
  /** How the source says that the answer ends. */
  #told: End | null = null;

  constructor(writer: AppendWriter, format: AppendFormat, clock: Clock) {
    this.#writer = writer;
    this.#format = format;
    this.#clock = clock;
    this.#items = new ChunkItems(writer.message);
  }

  /** @throws MsgError why the answer could not be written */
  async run(source: Source<Part>, { onError, onEnd }: PipeOptions): Promise<RunResult> {
    const reader = readerOf(source);
    try {
      await this.#copy(reader, onError ?? (() => 'internal error'));
    } catch (error) {
      if (statusElsewhere(error) === null) throw error;
    } finally {
      void Promise.resolve(reader.return?.()).catch(() => {}); // the answer is over, however the source takes that
    }
    const end = await this.#end();
    const result = { message: this.#writer.message, ...end, text: this.#text };
    await onEnd?.(result);
    return result;
  }

  async #copy(reader: AsyncIterator<Part, unknown>, onError: (error: unknown) => string): Promise<void> {
    const { signal } = this.#writer;
    const grace = graceAfter(signal, this.#clock);
    try {
      for (;;) {
        const next = await Promise.race([reader.next().catch(failure), grace.over]);
        if (next instanceof Failure) return await this.#fail(next.error, onError);
        if (next.done === true) return;
        await this.#write(next.value);
      }
    } finally {
      grace.clear();
    }
  }

  async #fail(error: unknown, onError: (error: unknown) => string): Promise<void> {
    if (this.#writer.signal.aborted) return; // a model that throws because it was stopped
    const errorText = onError(error);
    this.#told = { status: 'failed', reason: errorText };
    if (this.#format === 'items') await this.#write({ type: 'error', errorText });
  }

  async #write(part: Part): Promise<void> {
    if (typeof part === 'string') {
      this.#text += part;
      return this.#writer.write(part);
    }
    if (part.type === 'text-delta') this.#text += part.delta;
    this.#told = endTold(part, this.#told);
    for (const written of this.#items.written(part)) await this.#writer.write(written);
  }

  async #end(): Promise<End> {
    const { status, reason } = this.#decided();
    try {
      if (status === 'complete') await this.#writer.complete();
      else if (status === 'failed') await this.#writer.fail(cut(reason));
      else await this.#writer.cancel(cut(reason));
      return { status, reason };
    } catch (error) {
      const elsewhere = statusElsewhere(error);
      if (elsewhere === null) throw error;
      return { status: elsewhere, reason };
    }
  }

  /** A stop is the end of everything but a source that failed, or that was ready before it. */
  #decided(): End {
    const { aborted, reason: cause } = this.#writer.signal;
    const end = this.#told ?? { status: aborted ? 'cancelled' : 'complete', reason: '' };
    if (end.status !== 'cancelled' || !isMsgError(cause)) return end;
    return { status: 'cancelled', reason: cause.meta['reason'] || end.reason };
  }
}

/** How an answer ends after this chunk; a failure stays one. */
function endTold(chunk: UIMessageChunk, told: End | null): End | null {
  if (chunk.type === 'error') return { status: 'failed', reason: chunk.errorText };
  if (told?.status === 'failed') return told;
  if (chunk.type === 'abort') return { status: 'cancelled', reason: chunk.reason ?? '' };
  return chunk.type === 'finish' && told === null ? { status: 'complete', reason: '' } : told;
}

/** An error of the source. */
class Failure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

const failure = (error: unknown): Failure => new Failure(error);

/** `over` resolves when the time after a stop has passed. */
function graceAfter(signal: AbortSignal, clock: Clock) {
  const { promise: over, resolve } = Promise.withResolvers<typeof DONE>();
  let timer: TimerHandle | null = null;
  const begin = (): void => {
    // Nothing more can be written into a message that is lost.
    const isStop = isMsgError(signal.reason) && signal.reason.reason === 'cancelled';
    timer = clock.setTimeout(() => resolve(DONE), isStop ? STOP_MS : 0);
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  const clear = (): void => {
    signal.removeEventListener('abort', begin);
    if (timer !== null) clock.clearTimeout(timer);
  };
  return { over, clear };
}

/** The status of a message that the service has ended meanwhile, as after a stop that took too long. */
function statusElsewhere(error: unknown): RunResult['status'] | null {
  if (!isMsgError(error) || error.code !== 'MSG_APPEND_CLOSED') return null;
  const status = error.meta['status'];
  return status === 'complete' || status === 'cancelled' || status === 'failed' ? status : null;
}

/** At most so many bytes of UTF-8, without half a character. */
function cut(reason: string): string {
  const bytes = new TextEncoder().encode(reason);
  if (bytes.length <= MOST_REASON_BYTES) return reason;
  return new TextDecoder().decode(bytes.subarray(0, MOST_REASON_BYTES), { stream: true });
}

/** One reader for both kinds of sources. */
function readerOf(source: Source<Part>): AsyncIterator<Part, unknown> {
  if (!('getReader' in source)) return source[Symbol.asyncIterator]();
  const reader = source.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? { done, value } : { done, value };
    },
    return: async () => {
      await reader.cancel();
      return DONE;
    },
  };
}
