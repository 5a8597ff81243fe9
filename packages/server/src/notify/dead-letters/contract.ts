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
  /** Who changed it and when, the last at the end; absent: it is as it was parked. */
  readonly edits?: readonly LetterEdit[];
}

/** One change of a letter by an operator. */
export interface LetterEdit {
  /** Subject of the caller. */
  readonly by: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** What an operator changes; absent members stay. */
export interface LetterChange extends LetterEdit {
  readonly recipient?: unknown;
  readonly message?: SinkMessage;
}

/** Changes of one letter that are remembered. */
export const EDITS_KEPT = 20;

/** A letter after a change. */
export function changedLetter(
  letter: DeadLetter,
  { recipient = letter.recipient, message = letter.message, by, at }: LetterChange,
): DeadLetter {
  return { ...letter, recipient, message, edits: [...(letter.edits ?? []), { by, at }].slice(-EDITS_KEPT) };
}

/** A failed delivery without the id, which the queue assigns. */
export type NewDeadLetter = Omit<DeadLetter, 'id' | 'edits'>;

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

/** Letters in their order, and where the next begin. */
export interface LetterSlice {
  readonly letters: readonly DeadLetter[];
  readonly next?: string;
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
  /**
   * At most `count` letters of a sink, or of all sinks, behind another letter: newest first, in an order that does not
   * change. Absent: pages read all letters. @returns `undefined` for an id that the queue never makes
   */
  slice?(
    sink: string | undefined,
    after: Pick<DeadLetter, 'parkedAt' | 'id'> | undefined,
    count: number,
  ): Promise<readonly DeadLetter[] | undefined>;
  /** One letter, claimed or not. Absent: all letters are read. */
  get?(id: string): Promise<DeadLetter | undefined>;
  /** Number of letters by sink; sinks without letters may be absent. */
  sizes(): Promise<ReadonlyMap<string, number>>;
  /** Removes a letter, claimed or not. @returns false for an unknown id */
  discard(id: string): Promise<boolean>;
  /**
   * Claims the right to replay a letter. @returns `undefined` for an unknown id, and while another caller holds the right
   */
  claim(id: string): Promise<DeadLetterClaim | undefined>;
  /**
   * Changes a letter; its id, place and attempts stay. Absent: letters cannot be changed. @returns `undefined` for an
   * unknown id, and while a caller holds the right to replay it
   */
  update?(id: string, change: LetterChange): Promise<DeadLetter | undefined>;
  /**
   * Takes letters away for a time, claimed or not: no other operation but `restore` knows them. Afterwards they are
   * removed. Absent: a discard is final. @returns the ids of those that it took away
   */
  hide?(ids: readonly string[], ms: number): Promise<readonly string[]>;
  /** Brings hidden letters back, from any node. @returns how many came back */
  restore?(ids: readonly string[]): Promise<number>;
}
