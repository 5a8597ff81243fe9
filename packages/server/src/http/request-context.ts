import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestBody } from '@msg/engine';
import type { Span } from '../observability/tracing/contract.ts';

/** One HTTP request and its answer, with what the service found out about it. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Path of the request target, without query. */
  readonly path: string;
  /** Address of the caller: the TCP peer, or the forwarded one behind a trusted proxy. */
  readonly peer: string;
  readonly requestId: string;
  /** Headers that every answer to this request carries: names and values in turns, as `writeHead` takes them. */
  readonly headers: string[];
  /** The body was taken to its last byte. */
  isRead: boolean;
  /** The body that was read, which holds its memory until the exchange ends. */
  body: RequestBody | undefined;
  /** The span of an RPC while tracing is on. */
  span: Span | undefined;
  /** Why the request was refused, for the log; absent where the status says it all. */
  reason: string | undefined;
  /** `sub` of the bearer once that was verified; the access log then need not read the token itself. */
  subject: string | undefined;
  /** The exchange was accounted for. */
  isEnded: boolean;
  /** Accounts for the exchange; at the latest called when its connection closes, and once. */
  readonly end: () => void;
}

/** The path of a request target. */
export function pathOf(target: string | undefined): string {
  const text = target ?? '/';
  const query = text.indexOf('?');
  return query < 0 ? text : text.slice(0, query);
}
