import { type MsgCode, MsgError } from '@msg/core';
import { toMsgError } from '@msg/core/internal';

/** An error of the HTTP API. */
interface ApiErrorRow {
  /** Exactly this text: suites of clients compare it. */
  readonly message: string;
  /** HTTP status in the transport error mode. */
  readonly status: number;
}

/** The errors by code (application developer's side 2.3). */
export const API_ERRORS = {
  100: { message: 'internal server error', status: 500 },
  102: { message: 'unknown channel', status: 404 },
  103: { message: 'permission denied', status: 403 },
  104: { message: 'not found', status: 404 },
  107: { message: 'bad request', status: 400 },
  108: { message: 'not available', status: 400 },
  111: { message: 'too many requests', status: 429 },
  112: { message: 'unrecoverable position', status: 416 },
} as const satisfies Readonly<Record<number, ApiErrorRow>>;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** A failure of the HTTP API without a MSG code. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;

  /** @param detail what happened; never a payload or a key */
  constructor(code: ApiErrorCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** The failure of a command as its caller gets it. */
export interface ApiFailure {
  readonly code: ApiErrorCode;
  /** The MSG code; absent for a failure without one. */
  readonly msgCode?: MsgCode;
  readonly detail: string;
  readonly status: number;
  /** Milliseconds after which the same call may succeed. */
  readonly retryAfterMs?: number;
}

/** Retry delay in the answer when the broker is not ready, milliseconds. */
const NOT_READY_RETRY_MS = 1000;
const NOT_READY_STATUS = 503;

function isApiErrorCode(code: number | null): code is ApiErrorCode {
  return code !== null && Object.hasOwn(API_ERRORS, code);
}

/** The code of a coded error: that of the client protocol where the API has it. */
function codeOf({ code, row: { wire } }: MsgError): ApiErrorCode {
  if (code === 'MSG_AUTH_EXPIRED') return 103;
  return isApiErrorCode(wire) ? wire : 100;
}

/** The failure as the caller gets it. */
export function apiFailure(error: unknown): ApiFailure {
  if (error instanceof ApiError) {
    const { code, message } = error;
    return { code, detail: message, status: API_ERRORS[code].status };
  }
  const coded = toMsgError(error);
  const code = codeOf(coded);
  const failure = { code, msgCode: coded.code, detail: coded.message, status: API_ERRORS[code].status };
  if (coded.code === 'MSG_BROKER_NOT_READY')
    return { ...failure, status: NOT_READY_STATUS, retryAfterMs: coded.retryAfterMs ?? NOT_READY_RETRY_MS };
  return coded.retryAfterMs === undefined ? failure : { ...failure, retryAfterMs: coded.retryAfterMs };
}

/** The JSON of an error object. */
export function errorText(code: ApiErrorCode): string {
  return `{"code":${code},"message":"${API_ERRORS[code].message}"}`;
}

/** @throws MsgError MSG_INVALID_ARGUMENT */
export function badRequest(detail: string): never {
  throw new MsgError('MSG_INVALID_ARGUMENT', detail);
}
