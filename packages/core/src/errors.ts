import { CodedError } from '@msg/foundation/errors';
import type { Situation } from './advice/situations.ts';
import { CODE_TABLE, type CodeRow, isMsgCode, type MsgCode, TWIRP_STATUS, type TwirpCode } from './codes.ts';

/** Options of an error besides code and message. */
export interface MsgErrorOptions {
  readonly cause?: unknown;
  /** The caller is unknown: 401 instead of 403. Only for MSG_AUTH_DENIED. */
  readonly unauthenticated?: boolean;
  /** Milliseconds after which a rate-limited call may succeed. */
  readonly retryAfterMs?: number | undefined;
  /** A more exact cause than the code; the command line shows its remedy. */
  readonly situation?: Situation;
  /** A word that tells cases of one code apart: `locked`, `expired`. The answer of the RPC has it as `meta.reason`. */
  readonly reason?: string | undefined;
  /** What the caller needs to go on, `expected_seq` of a gap: further members of `meta` in the answer of the RPC. */
  readonly meta?: Readonly<Record<string, string>>;
}

const NO_META: Readonly<Record<string, string>> = {};

/**
 * A coded failure. The message names the problem and the allowed values, never tokens or payloads. Source: the
 * specification, "Errors".
 */
export class MsgError extends CodedError<MsgCode, CodeRow> {
  override readonly name = 'MsgError';
  /** Twirp code by the table, or `unauthenticated` when the caller is unknown. */
  readonly twirp: TwirpCode;
  readonly retryAfterMs: number | undefined;
  readonly situation: Situation | undefined;
  readonly reason: string | undefined;
  readonly meta: Readonly<Record<string, string>>;

  constructor(code: MsgCode, message: string, options: MsgErrorOptions = {}) {
    super(CODE_TABLE, code, message, options.cause);
    this.twirp = options.unauthenticated ? 'unauthenticated' : this.row.twirp;
    this.retryAfterMs = options.retryAfterMs;
    this.situation = options.situation;
    this.reason = options.reason;
    this.meta = options.meta ?? NO_META;
  }

  /** HTTP status on the RPC. */
  get status(): number {
    return TWIRP_STATUS[this.twirp];
  }

  /** The same call may succeed later. */
  get retryable(): boolean {
    return this.row.retryable;
  }

  /** The error of a missing or invalid bearer: HTTP 401 (messaging details 1.5). */
  static unauthenticated(message: string, code: MsgCode = 'MSG_AUTH_DENIED'): MsgError {
    return new MsgError(code, message, { unauthenticated: true });
  }
}

/** True for a coded failure, also from another copy of this package. */
export function isMsgError(error: unknown): error is MsgError {
  return error instanceof Error && error.name === 'MsgError' && 'code' in error && isMsgCode(error.code);
}

/** The error itself when it is coded, else MSG_INTERNAL with the original as cause. */
export function toMsgError(error: unknown): MsgError {
  return error instanceof MsgError ? error : new MsgError('MSG_INTERNAL', 'internal error', { cause: error });
}
