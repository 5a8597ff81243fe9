import type { IncomingMessage } from 'node:http';
import type { Random } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { bearerToken } from '../auth/access/bearer.ts';
import type { InvalidTokenReason } from '../auth/tokens/refusal.ts';
import { HTTP_REQUEST, type HttpRequestRecord } from '../observability/http-request-line.ts';
import type { Logger } from '../observability/logger.ts';

/** Longest `X-Request-ID` that is taken over. */
const PRINTABLE = /^[\x21-\x7e]{1,128}$/;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The `sub` a bearer claims to have; nothing is verified, and nothing else of the token is looked at. */
function claimedSubject(request: LoggedRequest): string {
  if (request.headers.authorization === undefined) return '';
  const payload = bearerToken(request.headers.authorization)?.split('.')[1];
  if (payload === undefined) return '';
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isRecord(claims) && typeof claims['sub'] === 'string' ? claims['sub'] : '';
  } catch {
    return '';
  }
}

function callersTrace(request: LoggedRequest): string {
  const header = request.headers['traceparent'];
  return (typeof header === 'string' ? TRACE_PARENT.exec(header)?.[1] : undefined) ?? '';
}

/** Bytes of a text that a record shows. */
const MAX_SHOWN_BYTES = 1024;

/** A text of at most 1 KiB in UTF-8; what is cut off is not shown. */
function shown(text: string): string {
  // No character takes more than three bytes of UTF-8 for each unit of the string.
  if (text.length * 3 <= MAX_SHOWN_BYTES) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_SHOWN_BYTES) return text;
  let end = MAX_SHOWN_BYTES;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** What the log looks at of a request. */
export type LoggedRequest = Pick<IncomingMessage, 'method' | 'headers'>;

/** What the record of a request needs from its end. */
export interface RequestEnd {
  readonly request: LoggedRequest;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly peer: string;
  readonly requestId: string;
  /** Trace of the request's span; absent: the one the caller names. */
  readonly traceId?: string | undefined;
  /** `sub` of a verified bearer; otherwise what the bearer claims is logged. */
  readonly subject?: string | undefined;
  /** Why it was refused. */
  readonly reason?: string | undefined;
}

/** Hexadecimal digits of a generated request id. */
const ID_DIGITS = 24;
/** Ids drawn at a time: drawing one costs far more than cutting it off. */
const IDS_DRAWN = 128;

/** Which requests have a record. */
export interface RecordedRequests {
  /** Share of the successes, 0 to 1. */
  readonly successes: number;
  readonly failures: boolean;
}

const ALL_REQUESTS: RecordedRequests = { successes: 1, failures: true };

/** The requests that have a record under `observability.access_log`. */
export function recordedRequests(mode: 'on' | 'sampled' | 'off', sample: number): RecordedRequests {
  if (mode === 'off') return { successes: 0, failures: false };
  return mode === 'sampled' ? { successes: sample, failures: true } : ALL_REQUESTS;
}

/** The first status that says of a request that it failed. */
const FIRST_FAILURE = 400;

/** One record per request, and one per refused bearer. Queries, tokens and bodies never appear (details 11.2). */
export class AccessLog {
  readonly #logger: Logger;
  readonly #random: Random;
  readonly #recorded: RecordedRequests;
  /** Digits of ids to come. */
  #drawn = '';

  constructor(logger: Logger, random: Random, recorded: RecordedRequests = ALL_REQUESTS) {
    this.#logger = logger;
    this.#random = random;
    this.#recorded = recorded;
  }

  /** True for a request that has a record. */
  #records(status: number): boolean {
    const { successes, failures } = this.#recorded;
    if (status >= FIRST_FAILURE) return failures;
    return successes >= 1 || (successes > 0 && this.#random.fraction() < successes);
  }

  /** The id of a request: what the caller sent, else 24 random hexadecimal digits. */
  requestId(request: LoggedRequest): string {
    const header = request.headers['x-request-id'];
    if (typeof header === 'string' && PRINTABLE.test(header)) return header;
    if (this.#drawn === '') {
      this.#drawn = Buffer.from(this.#random.bytes((ID_DIGITS / 2) * IDS_DRAWN)).toString('hex');
    }
    const id = this.#drawn.slice(0, ID_DIGITS);
    this.#drawn = this.#drawn.slice(ID_DIGITS);
    return id;
  }

  /** A request, or a long-lived connection, has ended. */
  ended({ request, path, status, durationMs, peer, requestId, traceId, subject, reason }: RequestEnd): void {
    if (!this.#records(status)) return;
    const outcome: HttpRequestRecord = {
      method: request.method ?? '',
      path: shown(path),
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      remote_addr: peer,
      request_id: requestId,
      bearer_subject: shown(subject ?? claimedSubject(request)),
      trace_id: traceId ?? callersTrace(request),
    };
    const record = reason === undefined ? outcome : { ...outcome, reason };
    if (this.#logger.httpRequest !== undefined) this.#logger.httpRequest(record);
    else this.#logger.info({ ...record }, HTTP_REQUEST);
  }

  /** A bearer or a token of the RPC was refused. */
  authFailure(code: InvalidTokenReason, requestId: string): void {
    this.#logger.warn({ code, request_id: requestId }, 'auth_failure');
  }
}
