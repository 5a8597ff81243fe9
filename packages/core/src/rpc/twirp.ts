import { defined, isRecord } from '@msg/foundation/json';
import { codeOfTwirp, isMsgCode, type MsgCode, TWIRP_STATUS, type TwirpCode } from '../codes.ts';
import { MsgError } from '../errors.ts';

/** How `User-Agent` of the program `msg` begins, which the audit knows it by. */
export const CLI_AGENT = 'msg-cli/';

/** Path prefix of every RPC. */
export const TWIRP_PREFIX = '/twirp/msg.MsgService/';

/** Header of an answer with the unknown members of its request (messaging details 24.7). */
export const IGNORED_FIELDS_HEADER = 'msg-ignored-fields';

/** True for paths of the RPC, also for unknown methods. */
export function isRpcPath(path: string): boolean {
  return path.startsWith('/twirp/');
}

/** Largest request body in bytes (messaging details 1.1). */
export const MAX_BODY_BYTES = 4_194_304;
/** Largest request body of a public method, which needs no bearer. */
export const MAX_PUBLIC_BODY_BYTES = 16_384;

/** A request body that cannot be read: Twirp `malformed`, HTTP 400. An empty message means the default one. */
export class MalformedRequest extends Error {
  override readonly name = 'MalformedRequest';

  constructor(detail = '') {
    super(detail === '' ? 'the json request could not be decoded' : detail);
  }
}

/** A request whose body did not arrive in time: Twirp `deadline_exceeded`, HTTP 408. */
export class SlowRequest extends Error {
  override readonly name = 'SlowRequest';

  constructor() {
    super('the request body did not arrive in time');
  }
}

/** Body of an error answer (messaging details 1.3). */
interface TwirpErrorBody {
  readonly code: TwirpCode;
  readonly msg: string;
  readonly meta: Readonly<Record<string, string>>;
}

/** An error answer: HTTP status and body. */
export interface TwirpError {
  readonly status: number;
  readonly body: TwirpErrorBody;
}

function answer(code: TwirpCode, msg: string, meta: Readonly<Record<string, string>>): TwirpError {
  return { status: TWIRP_STATUS[code], body: { code, msg, meta } };
}

/** The error of a wrong path, HTTP method or content type. */
export function badRoute(httpMethod: string, path: string): TwirpError {
  return answer('bad_route', `no handler for ${httpMethod} ${path}`, {
    twirp_invalid_route: `${httpMethod} ${path}`,
  });
}

/**
 * The RPC answer of a failure. Coded errors keep code and message; others become `internal` with only the class name as
 * `meta.cause`.
 */
export function twirpError(error: unknown): TwirpError {
  if (error instanceof MalformedRequest) {
    return answer('malformed', error.message, { code: 'MSG_INVALID_ARGUMENT' });
  }
  if (error instanceof SlowRequest) return answer('deadline_exceeded', error.message, {});
  if (error instanceof MsgError) {
    const { code, reason, meta } = error;
    return answer(error.twirp, error.message, { ...meta, code, ...defined({ reason }) });
  }
  const cause = error instanceof Error ? error.name : typeof error;
  return answer('internal', 'internal error', { code: 'MSG_INTERNAL', cause });
}

const BY_STATUS: Readonly<Record<number, MsgCode>> = {
  401: 'MSG_AUTH_DENIED',
  403: 'MSG_AUTH_DENIED',
  404: 'MSG_CHANNEL_NOT_FOUND',
  429: 'MSG_RATE_LIMITED',
};

/**
 * The coded error of an RPC answer other than 200: by a known `meta.code`, else by Twirp code, else, for a body that is
 * not a Twirp error, by HTTP status. Source: messaging details 1.4 and 20.
 */
export function errorOfAnswer(status: number, body: unknown, retryAfterMs?: number): MsgError {
  const { code: twirp, msg, meta }: Readonly<Record<string, unknown>> = isRecord(body) ? body : {};
  if (typeof twirp !== 'string') {
    const code = BY_STATUS[status] ?? (status >= 500 ? 'MSG_BROKER_NOT_READY' : 'MSG_INTERNAL');
    return new MsgError(code, `the server answered HTTP ${status}`, { retryAfterMs });
  }
  const text = typeof msg === 'string' ? msg : twirp;
  const { code: coded, reason, ...others }: Readonly<Record<string, unknown>> = isRecord(meta) ? meta : {};
  return new MsgError(isMsgCode(coded) ? coded : codeOfTwirp(twirp), text, {
    unauthenticated: status === TWIRP_STATUS.unauthenticated,
    reason: typeof reason === 'string' ? reason : undefined,
    retryAfterMs,
    meta: Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)])),
  });
}
