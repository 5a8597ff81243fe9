import type { IncomingMessage } from 'node:http';
import type { Random } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { bearerToken } from '../auth/access/bearer.ts';
import type { InvalidTokenReason } from '../auth/tokens/invalid-token.ts';
import { HTTP_REQUEST, type HttpRequestRecord } from '../observability/http-request-line.ts';
import type { Logger } from '../observability/logger.ts';
import type { AccessLogOptions } from './options.ts';

/** Default share of the successful requests that mode `sampled` logs. */
const DEFAULT_LOG_SAMPLE = 0.01;

/** The `X-Request-ID`s that are accepted. */
const PRINTABLE = /^[\x21-\x7e]{1,128}$/;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The unverified `sub` of a bearer; no other claim is read. */
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

/** Trace of the caller's span; empty without one. */
function callersTrace(request: LoggedRequest): string {
  const header = request.headers['traceparent'];
  return (typeof header === 'string' ? TRACE_PARENT.exec(header)?.[1] : undefined) ?? '';
}

/** Bytes of a text in a record. */
const MAX_SHOWN_BYTES = 1024;

/** A text, cut to 1 KiB of UTF-8. */
function display(text: string): string {
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= MAX_SHOWN_BYTES) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_SHOWN_BYTES) return text;
  let end = MAX_SHOWN_BYTES;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** The part of a request that the log reads. */
export type LoggedRequest = Pick<IncomingMessage, 'method' | 'headers'>;

/** The data of a record at the end of a request. */
export interface RequestEnd {
  readonly request: LoggedRequest;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly clientAddress: string;
  readonly requestId: string;
  /** Trace of the request's span; absent: the caller's. */
  readonly traceId?: string | undefined;
  /** `sub` of a verified bearer; absent: the unverified claim is logged. */
  readonly subject?: string | undefined;
  /** Why it was refused. */
  readonly reason?: string | undefined;
  /** It succeeded and is one of very many: its record has the level debug. */
  readonly isRoutine?: boolean;
}

/** The part of a {@link RequestEnd} that is known when a connection begins. */
export type KeptRequest = Pick<RequestEnd, 'request' | 'subject' | 'traceId' | 'requestId'>;

const NO_HEADERS = Object.freeze({});

/** A copy that holds nothing else: a part of a longer text keeps all of it in memory. */
function ownText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** Hexadecimal digits of a generated request id. */
const ID_DIGITS = 24;
/** Ids generated at a time, because a call for random bytes costs far more than cutting one off. */
const IDS_DRAWN = 1024;

/** Selects the requests that are logged. */
export interface RecordedRequests {
  /** Share of the successes, 0 to 1. */
  readonly successes: number;
  readonly failures: boolean;
}

const ALL_REQUESTS: RecordedRequests = { successes: 1, failures: true };

/** The requests that have a record under `observability.access_log`. */
export function recordedRequests({
  mode = 'on',
  sample = DEFAULT_LOG_SAMPLE,
}: AccessLogOptions = {}): RecordedRequests {
  if (mode === 'off') return { successes: 0, failures: false };
  return mode === 'sampled' ? { successes: sample, failures: true } : ALL_REQUESTS;
}

/** The first HTTP status of a failure. */
const FIRST_FAILURE = 400;

/**
 * Writes one record per request, and one per refused bearer. Queries, tokens and bodies are never logged (messaging
 * details 11.2).
 */
export class AccessLog {
  readonly #logger: Logger;
  readonly #random: Random;
  readonly #recorded: RecordedRequests;
  /** Random digits for the next ids. */
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

  /** The id of a request: the caller's, else 24 random hexadecimal digits. */
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

  /**
   * What the log will need at the end of a long-lived connection. The headers of its request would live as long as the
   * connection: they are a kilobyte and more of a browser's.
   */
  keptOf(request: LoggedRequest): KeptRequest {
    return {
      request: { method: request.method, headers: NO_HEADERS },
      subject: claimedSubject(request),
      traceId: callersTrace(request),
      requestId: ownText(this.requestId(request)),
    };
  }

  /** A request, or a long-lived connection, has ended. */
  ended({
    request,
    path,
    status,
    durationMs,
    clientAddress,
    requestId,
    traceId,
    subject,
    reason,
    isRoutine = false,
  }: RequestEnd): void {
    if ((isRoutine && this.#logger.debug === undefined) || !this.#records(status)) return;
    const outcome: HttpRequestRecord = {
      method: request.method ?? '',
      path: display(path),
      status,
      duration_ms: Math.round(durationMs * 100) / 100,
      remote_addr: clientAddress,
      request_id: requestId,
      bearer_subject: display(subject ?? claimedSubject(request)),
      trace_id: traceId ?? callersTrace(request),
    };
    const record = reason === undefined ? outcome : { ...outcome, reason };
    if (isRoutine) this.#logger.debug?.({ ...record }, HTTP_REQUEST);
    else if (this.#logger.httpRequest !== undefined) this.#logger.httpRequest(record);
    else this.#logger.info({ ...record }, HTTP_REQUEST);
  }

  /** A bearer or a token of the RPC was refused. */
  authFailure(code: InvalidTokenReason, requestId: string): void {
    this.#logger.warn({ code, request_id: requestId }, 'auth_failure');
  }
}
