import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { pause } from '@msg/foundation/promises';
import type { MsgCode } from '../codes.ts';
import { isMsgError, MsgError } from '../errors.ts';
import type { OpQueue } from './op-queue.ts';
import type { AppendPort, WriterAnswer, WriterOp, WriterRequest } from './port.ts';

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;

/** Failures after which the same request may succeed. */
const TEMPORARY: readonly MsgCode[] = [
  'MSG_RATE_LIMITED',
  'MSG_BROKER_NOT_READY',
  'MSG_BROKER_INTERNAL',
  'MSG_INTERNAL',
];

export interface SenderParts {
  readonly port: AppendPort;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  /** How long a request is repeated that gets no answer, milliseconds. */
  readonly retryForMs: number;
  /** Aborted when the writer gives up. */
  readonly signal: AbortSignal;
  /** Operations that stand for everything before the queue, for a store that lost the message. */
  readonly before: readonly WriterOp[] | null;
}

/** The members of every request of a message. */
export type RequestHead = Omit<WriterRequest, 'seq' | 'ops'>;

/**
 * Sends requests of one message until they are stored: repeats them with the same numbers, and sends again what the store
 * lost. Source: append streams 6.3.
 */
export class Sender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /**
   * Sends the next operations of the queue, or a heartbeat.
   * @throws MsgError when the message cannot go on, MSG_APPEND_TOO_LARGE when one operation is too large
   */
  async send(queue: OpQueue, head: RequestHead, isHeartbeat = false): Promise<WriterAnswer> {
    const { port, clock } = this.#parts;
    const end = clock.monotonic() + this.#parts.retryForMs;
    for (let wait = FIRST_RETRY_MS, renewed = false; ; ) {
      const { seq, ops } = isHeartbeat ? { seq: queue.acknowledged + 1, ops: [] } : queue.next();
      try {
        const { orSink, ...plain } = head;
        const isEnd = 'status' in (ops.at(-1) ?? {});
        const answer = await port.append({
          ...plain,
          seq,
          ops,
          ...defined({ orSink: isEnd ? orSink : undefined }),
        });
        if (ops.length > 0) queue.rewind(seq + ops.length - 1);
        return answer;
      } catch (cause) {
        const error = isMsgError(cause)
          ? cause
          : new MsgError('MSG_INTERNAL', 'the request failed', { cause });
        if (error.code === 'MSG_AUTH_EXPIRED' && !renewed) renewed = true;
        else if (this.#sendsAgain(queue, error)) isHeartbeat = false;
        else if (!TEMPORARY.includes(error.code) || clock.monotonic() >= end || this.#parts.signal.aborted)
          throw error;
        else {
          await this.#pause(error.retryAfterMs ?? 0, wait);
          wait = Math.min(wait * 2, LONGEST_RETRY_MS);
        }
      }
    }
  }

  /** Prepares the queue for another request after a refusal. False: a refusal cannot be mended so. */
  #sendsAgain(queue: OpQueue, { code, meta }: MsgError): boolean {
    const expected = Number(meta['expected_seq']);
    if (code === 'MSG_APPEND_GAP') return expected <= queue.acknowledged && queue.rewind(expected - 1);
    if (code === 'MSG_APPEND_NOT_FOUND') {
      if (queue.acknowledged === 0 || this.#parts.before === null) return false;
      queue.reopen(this.#parts.before);
      return true;
    }
    // Nothing of the request was applied: a smaller one may fit.
    return code === 'MSG_APPEND_TOO_LARGE' && queue.shrink();
  }

  /** Waits with a jitter, but never less than the service asks for. */
  async #pause(leastMs: number, ms: number): Promise<void> {
    const { clock, random, signal } = this.#parts;
    await pause(clock, Math.max(leastMs, ms * (0.75 + random.fraction() / 2)), signal);
  }
}
