import type { SinkMessage } from '../sinks/contract.ts';

/** A delivery that was given up, as it is kept. */
export interface DeadLetter {
  /** Opaque and stable across replays; unique among all sinks of the queue. */
  readonly id: string;
  readonly sink: string;
  /** The channel without subscribers; empty when the delivery had no channel. */
  readonly channel: string;
  /** JSON value in the form of the sink's kind; `null` without a recipient. */
  readonly recipient: unknown;
  readonly message: SinkMessage;
  readonly lastError: string;
  /** Sends made so far, replays included. */
  readonly attempts: number;
  /** Unix milliseconds of the first parking; a failed replay does not change it. */
  readonly parkedAt: number;
}

/** A delivery to park; the queue gives it an id and keeps the rest as it is. */
export type NewDeadLetter = Omit<DeadLetter, 'id'>;

/** What a failed replay changes of a letter. */
export type ReplayFailure = Pick<DeadLetter, 'attempts' | 'lastError'>;

/**
 * The exclusive right to replay one letter. The letter stays in the queue meanwhile: should the holder die, it is
 * replayable again. A holder ends its claim with exactly one of the three calls.
 */
export interface DeadLetterClaim {
  readonly letter: DeadLetter;
  /** The replay was delivered: the letter is gone. */
  remove(): Promise<void>;
  /** The replay failed: the letter stays, under its id and in its place. One that was discarded meanwhile stays gone. */
  fail(failure: ReplayFailure): Promise<void>;
  /** Nothing was sent: the letter stays as it is. */
  release(): Promise<void>;
}

/**
 * Where deliveries that were given up are kept. Every implementation passes `deadLetterQueueContract`.
 * Operations reject only when the store itself fails. Source: messaging details 12.3.
 */
export interface DeadLetterQueue {
  /** Parks a delivery. A full queue drops the sink's oldest letter. @returns the new letter's id. */
  push(letter: NewDeadLetter): Promise<string>;
  /** Letters of a sink, or of all: newest first, ties by id descending. `limit` 0 means all that the store gives. */
  list(sink: string | undefined, limit: number): Promise<readonly DeadLetter[]>;
  /** Parked letters by sink; sinks without letters may be absent. */
  sizes(): Promise<ReadonlyMap<string, number>>;
  /** Removes a letter for good, claimed or not. @returns false when the id is not parked. */
  discard(id: string): Promise<boolean>;
  /** Takes the right to replay. @returns `undefined` when the id is not parked or another caller holds the right. */
  claim(id: string): Promise<DeadLetterClaim | undefined>;
}
