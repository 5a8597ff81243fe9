import { ErrorCode } from '@msg/protocol';
import { ReplyError } from '../errors.ts';
import type { NodeStats } from '../stats.ts';

/** A client that does not retry for this long has given up: stock clients retry at least every 20 s. */
const RETRY_WINDOW_MS = 60_000;

/** True for the error that makes a client retry until the channel exists. */
export function waitsForChannel(error: unknown): boolean {
  return error instanceof ReplyError && error.temporary && error.code === ErrorCode.UnknownChannel;
}

/**
 * The channels that one connection waits for: its subscribe got a temporary 102, and it retries. The server keeps only
 * the name and the moment of the last attempt.
 */
export class WaitingChannels {
  readonly #stats: Pick<NodeStats, 'waitingSubscribes'>;
  /** Moment of the last attempt, milliseconds, by channel. */
  readonly #attempts = new Map<string, number>();

  constructor(stats: Pick<NodeStats, 'waitingSubscribes'>) {
    this.#stats = stats;
  }

  /** Number of channels, without the one that is being subscribed to. */
  countWithout(channel: string): number {
    return this.#attempts.has(channel) ? this.#attempts.size - 1 : this.#attempts.size;
  }

  /** The channels with the moment of their last attempt. */
  entries(): Iterable<readonly [channel: string, attemptedAt: number]> {
    return this.#attempts;
  }

  /** Records a refused attempt. */
  add(channel: string, now: number): void {
    if (!this.#attempts.has(channel)) this.#stats.waitingSubscribes++;
    this.#attempts.set(channel, now);
  }

  /** Removes a channel. */
  delete(channel: string): void {
    if (this.#attempts.delete(channel)) this.#stats.waitingSubscribes--;
  }

  /** Drops the channels that the client stopped retrying: some clients unsubscribe without telling the server. */
  dropAbandoned(now: number): void {
    for (const [channel, at] of this.#attempts) if (now - at >= RETRY_WINDOW_MS) this.delete(channel);
  }

  clear(): void {
    this.#stats.waitingSubscribes -= this.#attempts.size;
    this.#attempts.clear();
  }
}
