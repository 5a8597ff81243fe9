import type { AppendCancel, AppendFormat, AppendOutcome, FinalStatus } from '../append/contract.ts';
import type { AppendDocument } from '../append/document.ts';
import type { DocumentState } from '../append/document-state.ts';

/** The open message of a channel in memory. */
export interface OpenMessage {
  readonly message: string;
  producer: string;
  /** Number of the last operation applied. */
  seq: number;
  readonly document: AppendDocument;
  /** The newest state, and its offset; null and 0 before the first. */
  state: DocumentState | null;
  offset: number;
  readonly orphanMs: number;
  /** Monotonic time at which it is ended without its producer. */
  deadline: number;
  cancel: AppendCancel | null;
  /** Monotonic time at which a cancelled message is ended. */
  cancelDeadline: number;
  /** Of the channel's stream, as the last request had them. */
  ttlMs: number;
  size: number;
}

/** An ended message that is remembered. */
export interface EndedMessage {
  readonly producer: string;
  readonly seq: number;
  readonly status: FinalStatus;
  readonly reason: string;
  readonly run: string;
  readonly input: string;
  readonly format: AppendFormat;
  readonly offset: number;
  /** Bytes of the document. */
  readonly size: number;
  readonly cancel: AppendCancel | null;
  /** Of the sink that its end named; null: none. */
  outcome: AppendOutcome | null;
  /** Monotonic time from which a pending outcome may be claimed again. */
  outcomeExpiresAt: number;
  /** Monotonic time at which it is forgotten. */
  readonly expiresAt: number;
}

interface EarlyCancel {
  readonly cancel: AppendCancel;
  readonly expiresAt: number;
}

/** What the memory broker stores about the messages of one channel. */
export class ChannelAppends {
  open: OpenMessage | null = null;
  /** In the order of their ends. */
  readonly ended = new Map<string, EndedMessage>();
  /** Cancels of inputs whose message has not opened. */
  readonly early = new Map<string, EarlyCancel>();

  /** Monotonic time of the next end or expiry; infinite without any. */
  nextExpiry(): number {
    let next = this.open === null ? Number.POSITIVE_INFINITY : dueOf(this.open);
    for (const { expiresAt } of this.ended.values()) next = Math.min(next, expiresAt);
    for (const { expiresAt } of this.early.values()) next = Math.min(next, expiresAt);
    return next;
  }

  /** Forgets what has expired. */
  expire(now: number): void {
    for (const [message, { expiresAt }] of this.ended) if (expiresAt <= now) this.ended.delete(message);
    for (const [input, { expiresAt }] of this.early) if (expiresAt <= now) this.early.delete(input);
  }
}

/** When a message is ended without its producer. */
export function dueOf({ deadline, cancelDeadline, cancel }: OpenMessage): number {
  return cancel === null ? deadline : Math.min(deadline, cancelDeadline);
}
