import { type CodeTable, isCode } from '@msg/foundation/errors';

/** Error codes of the Twirp wire that this service uses. */
export type TwirpCode =
  | 'invalid_argument'
  | 'malformed'
  | 'not_found'
  | 'bad_route'
  | 'already_exists'
  | 'failed_precondition'
  | 'permission_denied'
  | 'unauthenticated'
  | 'resource_exhausted'
  | 'deadline_exceeded'
  | 'aborted'
  | 'out_of_range'
  | 'unavailable'
  | 'internal';

/** HTTP status of each Twirp code (Twirp v8). */
export const TWIRP_STATUS: Readonly<Record<TwirpCode, number>> = {
  invalid_argument: 400,
  malformed: 400,
  not_found: 404,
  bad_route: 404,
  already_exists: 409,
  failed_precondition: 412,
  permission_denied: 403,
  unauthenticated: 401,
  resource_exhausted: 429,
  deadline_exceeded: 408,
  aborted: 409,
  out_of_range: 400,
  unavailable: 503,
  internal: 500,
};

/** One row of the code table. */
export interface CodeRow {
  /** Twirp code on the RPC; its HTTP status is in {@link TWIRP_STATUS}. */
  readonly twirp: TwirpCode;
  /** Error code on the client protocol; `null` for codes of the RPC only. */
  readonly wire: number | null;
  /** The same call may succeed later; on the client protocol this is `temporary`. */
  readonly retryable: boolean;
}

function row<const W extends number | null>(
  twirp: TwirpCode,
  wire: W,
  retryable = false,
): CodeRow & { readonly wire: W } {
  return { twirp, wire, retryable };
}

/**
 * The one table code → Twirp code → client-protocol code → retryable, which every layer reads. MSG_AUTH_DENIED has a
 * second Twirp code, `unauthenticated`, for a missing or invalid bearer on the RPC: {@link MsgError.unauthenticated}.
 * Source: messaging details 1.4 and 10.2; retryable: section 20; append streams 5.1.
 */
export const CODE_TABLE = {
  MSG_CHANNEL_INVALID: row('invalid_argument', 107),
  MSG_INVALID_ARGUMENT: row('invalid_argument', 107),
  MSG_CHANNEL_TTL_EXCEEDS_MAX: row('invalid_argument', null),
  MSG_CHANNEL_NOT_FOUND: row('not_found', 102),
  MSG_SINK_DLQ_NOT_FOUND: row('not_found', null),
  MSG_CHANNEL_EXISTS: row('already_exists', null),
  MSG_CHANNEL_CLOSED: row('failed_precondition', 102),
  MSG_SINK_RECIPIENT_DECODE: row('failed_precondition', null),
  MSG_SINK_RECIPIENT_GONE: row('failed_precondition', null),
  MSG_APPEND_NOT_FOUND: row('not_found', 102),
  MSG_APPEND_GAP: row('failed_precondition', 107),
  MSG_APPEND_CLOSED: row('failed_precondition', 107),
  MSG_APPEND_BUSY: row('already_exists', 107),
  MSG_APPEND_FENCED: row('aborted', 107),
  MSG_APPEND_TOO_LARGE: row('out_of_range', 107),
  MSG_AUTH_DENIED: row('permission_denied', 103),
  MSG_AUTH_EXPIRED: row('unauthenticated', 109),
  MSG_RATE_LIMITED: row('resource_exhausted', 111, true),
  MSG_BROKER_NOT_READY: row('unavailable', 100, true),
  MSG_SINK_UNAVAILABLE: row('unavailable', null),
  MSG_SINK_DLQ_OVERFLOW: row('unavailable', null),
  MSG_BROKER_INTERNAL: row('internal', 100, true),
  MSG_SINK_CONFIG_INVALID: row('internal', null),
  MSG_INTERNAL: row('internal', 100, true),
} as const satisfies CodeTable<string, CodeRow>;

/** Every code of the service. */
export type MsgCode = keyof typeof CODE_TABLE;

/** True for a string that is one of the service's codes. */
export function isMsgCode(value: unknown): value is MsgCode {
  return isCode(CODE_TABLE, value);
}

const BY_TWIRP = {
  invalid_argument: 'MSG_INVALID_ARGUMENT',
  malformed: 'MSG_INVALID_ARGUMENT',
  not_found: 'MSG_CHANNEL_NOT_FOUND',
  already_exists: 'MSG_CHANNEL_EXISTS',
  failed_precondition: 'MSG_CHANNEL_CLOSED',
  permission_denied: 'MSG_AUTH_DENIED',
  unauthenticated: 'MSG_AUTH_EXPIRED',
  unavailable: 'MSG_BROKER_NOT_READY',
  resource_exhausted: 'MSG_RATE_LIMITED',
} as const satisfies CodeTable<string, MsgCode>;

/**
 * The code a client reports for an error that carries no known `meta.code` (messaging details 1.4,
 * "client-side mapping").
 */
export function codeOfTwirp(twirp: string): MsgCode {
  return isCode(BY_TWIRP, twirp) ? BY_TWIRP[twirp] : 'MSG_INTERNAL';
}
