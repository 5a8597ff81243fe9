import type { MaybePromise } from '@msg/foundation/promises';
import type { Payload, Publication } from '@msg/protocol';
import type { AppendOptions, StreamOptions, StreamPosition } from '../stream/contract.ts';
import type { DocumentState } from './document-state.ts';
import type { PreparedOp } from './prepared-op.ts';
import type { AppendFormat, AppendStatus, FinalStatus } from './status.ts';

export type { AppendFormat, AppendStatus, FinalStatus };

/**
 * The smallest thing that a producer adds (append streams 3.1). `text` grows the open string; `item` is the bytes of a JSON
 * value, with `open` those of an object that gets a member of this name as the open string; `meta` is the bytes of a JSON
 * object that replaces the former one; `status` ends the message and comes last.
 */
export type AppendOp =
  | { readonly text: string }
  | { readonly item: Uint8Array; readonly open?: string }
  | { readonly meta: Uint8Array }
  | { readonly status: FinalStatus; readonly reason?: string };

/** What a request to append says besides its operations (append streams 5.1). */
export interface AppendRequest {
  /** Id of the message, unique within its channel: 1 to 64 of `A-Z a-z 0-9 . _ ~ -`. */
  readonly message: string;
  /** Who appends: the same kind of id. */
  readonly producer: string;
  /** Number of the first operation; the first of a message is 1. */
  readonly seq: number;
  /** For the opening; a later request that says something else is refused. Default `text`. */
  readonly format?: AppendFormat;
  readonly run?: string;
  readonly input?: string;
  /** The message ends as `failed`, `orphaned`, when its producer says nothing for so long; milliseconds. */
  readonly orphanMs?: number;
  /** Takes the message over from another producer, if `seq` is the next number. */
  readonly takeOver?: boolean;
}

/** A request with its operations; without any it is a heartbeat, and `seq` is ignored. */
export interface AppendCommand extends AppendRequest {
  readonly ops: readonly AppendOp[];
}

/** A command that was checked and encoded by `prepareAppend`, which is what a broker gets. */
export interface PreparedAppend extends AppendRequest {
  readonly ops: readonly PreparedOp[];
}

/** The options of a channel that takes append streams. */
export interface AppendingOptions extends StreamOptions {
  readonly append: AppendOptions;
}

/** A request that the producer stop. */
export interface AppendCancel {
  /** User who asked; empty for none. */
  readonly by: string;
  readonly reason: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The state of a message after a request. */
export interface AppendResult extends StreamPosition {
  /** Number of the last operation applied. */
  readonly seq: number;
  readonly status: AppendStatus;
  /** Bytes of the document. */
  readonly size: number;
  /** Operations of the request that had been applied before. */
  readonly duplicates: number;
  readonly cancel: AppendCancel | null;
}

/** A message as a read finds it. */
export interface AppendState extends Omit<AppendResult, 'duplicates'> {
  readonly message: string;
  readonly producer: string;
  readonly run: string;
  readonly input: string;
  readonly format: AppendFormat;
  readonly reason: string;
  /** A JSON object; null without one, and for an ended message. */
  readonly meta: Uint8Array | null;
  /** Orphan timeout of an open message, milliseconds; 0 for an ended one. */
  readonly orphanMs: number;
  /** Number of the next operation. */
  readonly expectedSeq: number;
  /** The document; null for an ended message that the stream no longer retains. */
  readonly document: Payload | null;
}

/** The message to cancel: by its id, by the input that it answers, or with neither the open one. */
export interface CancelTarget {
  readonly message?: string;
  readonly input?: string;
}

/** A state on its way to the subscribers of a node. */
export interface AppendedState {
  readonly publication: Publication;
  readonly position: StreamPosition;
  readonly document: DocumentState;
  /** The state before it, when that was the previous publication of the channel; else null: only the full form may go. */
  readonly previous: DocumentState | null;
  /** It is the first, or the last, of its message. */
  readonly opened: boolean;
  readonly ended: boolean;
  /** Who ended it; absent while it is open. */
  readonly endedBy?: AppendEnder;
}

/** The end of a message, and who ended it. */
export interface AppendEnd {
  readonly status: FinalStatus;
  readonly by: AppendEnder;
}

/** Who ended a message: its producer, the store after a cancel, or the store because its producer was silent. */
export type AppendEnder = 'producer' | 'cancel' | 'orphan';

/** The result of a request as a store answers it. */
export interface StoredAppend extends AppendResult {
  /** It was published in full, because another publication came before it; `appended` of the broker says it, too. */
  readonly inFull?: true;
}

/** What became of the sink of an end (append streams 10.4). `pending`: it is not known yet. */
export type AppendOutcome = 'pending' | 'published' | 'sent' | 'parked';

/** Copies of open messages on a node that only gets what is added. */
export interface MirrorFigures {
  readonly bytes: number;
  /** Copies that were dropped because a state was missed. */
  readonly drops: number;
}

/**
 * The append streams of a broker: at most one open message per channel, numbers that make every request repeatable, an
 * end for every message. Each refusal is an `AppendRefused` and changes nothing.
 */
export interface AppendStore {
  /** Applies the operations of a request in one step, as one publication, or none of them. */
  append(channel: string, request: PreparedAppend, stream: StreamOptions): MaybePromise<StoredAppend>;
  /**
   * The message; without an id the open one, else the newest. Null: there is no message. The document may be left out
   * when it is not wanted.
   */
  state(channel: string, message: string | null, withDocument?: boolean): MaybePromise<AppendState | null>;
  /**
   * Lets `appendChanged` of a channel come until the returned function is called, also without a subscriber. Absent: it
   * comes anyhow, or all changes are made on this node.
   */
  watch?(channel: string): Promise<() => void>;
  /**
   * Stores that the message shall stop; the producer learns it with the answer to its next request. It has 5 s to end the
   * message, then the store does. For an input without a message the request waits 60 s for its opening: the answer is
   * then null. A repeated request changes nothing.
   */
  cancel(channel: string, target: CancelTarget, cancel: AppendCancel): MaybePromise<AppendState | null>;
  /**
   * Claims the sink of an ended message. Null: it was claimed, and is `pending` from now on; else what is known of an
   * earlier claim. One that is pending for 30 s may be claimed again.
   */
  claimOutcome(channel: string, message: string): MaybePromise<AppendOutcome | null>;
  storeOutcome(channel: string, message: string, outcome: AppendOutcome): MaybePromise<void>;
  /** Open messages that this store keeps in memory. */
  readonly openMessages: number;
  /** Copies of messages that this node keeps for its subscribers; absent: it needs none. */
  readonly mirrors?: MirrorFigures;
}
