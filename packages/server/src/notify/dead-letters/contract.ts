import type { SinkMessage } from '../sinks/contract.ts';

/** A failed delivery as it is stored. */
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

/** A failed delivery without the id, which the queue assigns. */
export type NewDeadLetter = Omit<DeadLetter, 'id'>;

/** The members that a failed replay changes. */
export type ReplayFailure = Pick<DeadLetter, 'attempts' | 'lastError'>;

/**
 * The exclusive right to replay one letter. The letter stays in the queue: after a crash of the holder it can be replayed
 * again. The holder ends its claim with exactly one of the three calls.
 */
export interface DeadLetterClaim {
  readonly letter: DeadLetter;
  /** Removes the letter after a delivered replay. */
  remove(): Promise<void>;
  /**
   * Keeps the letter, with its id and place, after a failed replay. A letter that was discarded meanwhile stays
   * discarded.
   */
  fail(failure: ReplayFailure): Promise<void>;
  /** Keeps the letter unchanged: no attempt was made. */
  release(): Promise<void>;
}

/**
 * The store of failed deliveries. Every implementation passes `DEAD_LETTER_CONTRACT`. Operations reject only when the
 * store fails. Source: messaging details 12.3.
 */
export interface DeadLetterQueue {
  /** Adds a letter. A full queue drops the sink's oldest letter. @returns the id of the letter */
  push(letter: NewDeadLetter): Promise<string>;
  /** Letters of a sink, or of all sinks: newest first, ties by id descending. `limit` 0 means no limit. */
  list(sink: string | undefined, limit: number): Promise<readonly DeadLetter[]>;
  /** Number of letters by sink; sinks without letters may be absent. */
  sizes(): Promise<ReadonlyMap<string, number>>;
  /** Removes a letter, claimed or not. @returns false for an unknown id */
  discard(id: string): Promise<boolean>;
  /**
   * Claims the right to replay a letter. @returns `undefined` for an unknown id, and while another caller holds the right
   */
  claim(id: string): Promise<DeadLetterClaim | undefined>;
}
