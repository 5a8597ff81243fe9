/** Error codes of replies (client protocol 9.1). 100–399 belong to the protocol, 400–1999 to applications. */
export const ErrorCode = {
  Internal: 100,
  Unauthorized: 101,
  UnknownChannel: 102,
  PermissionDenied: 103,
  MethodNotFound: 104,
  AlreadySubscribed: 105,
  LimitExceeded: 106,
  BadRequest: 107,
  NotAvailable: 108,
  TokenExpired: 109,
  Expired: 110,
  TooManyRequests: 111,
  UnrecoverablePosition: 112,
  ConcurrentPagination: 113,
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** One row of the table of error codes. */
export interface ErrorCodeRow {
  readonly code: ErrorCode;
  readonly message: string;
  /** Clients retry with backoff. */
  readonly temporary: boolean;
}

/** Every error code of the protocol, ascending. */
export const ERROR_CODES: readonly ErrorCodeRow[] = [
  { code: 100, message: 'internal server error', temporary: true },
  { code: 101, message: 'unauthorized', temporary: false },
  { code: 102, message: 'unknown channel', temporary: false },
  { code: 103, message: 'permission denied', temporary: false },
  { code: 104, message: 'method not found', temporary: false },
  { code: 105, message: 'already subscribed', temporary: false },
  { code: 106, message: 'limit exceeded', temporary: false },
  { code: 107, message: 'bad request', temporary: false },
  { code: 108, message: 'not available', temporary: false },
  { code: 109, message: 'token expired', temporary: false },
  { code: 110, message: 'expired', temporary: false },
  { code: 111, message: 'too many requests', temporary: true },
  { code: 112, message: 'unrecoverable position', temporary: false },
  { code: 113, message: 'concurrent pagination', temporary: true },
];

const BY_CODE: ReadonlyMap<number, ErrorCodeRow> = new Map(ERROR_CODES.map(row => [row.code, row]));

/** The row of a protocol error code; `undefined` for another code. */
export function errorCodeRow(code: ErrorCode): ErrorCodeRow;
export function errorCodeRow(code: number): ErrorCodeRow | undefined;
export function errorCodeRow(code: number): ErrorCodeRow | undefined {
  return BY_CODE.get(code);
}

/** Clients connect again after this error on `connect` (client protocol 9.1). */
export function connectErrorRetries(code: number, temporary: boolean): boolean {
  return temporary || code < 100 || code === ErrorCode.TokenExpired;
}

/** Clients subscribe again after this error on `subscribe` (client protocol 9.1). */
export function subscribeErrorRetries(code: number, temporary: boolean): boolean {
  return connectErrorRetries(code, temporary);
}
