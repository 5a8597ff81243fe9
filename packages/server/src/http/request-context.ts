import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestBody } from '@msg/engine';
import type { Span } from '../observability/tracing/contract.ts';

/** One HTTP request and its answer, with the service's data about it. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Path of the request target, without query. */
  readonly path: string;
  /** Address of the caller: the TCP peer, or the forwarded one behind a trusted proxy. */
  readonly clientAddress: string;
  readonly requestId: string;
  /** Headers that every answer to this request carries: names and values in turns, as `writeHead` takes them. */
  readonly headers: string[];
  /** The body was read to its end. */
  isRead: boolean;
  /** The body, which holds its memory until the request ends. */
  body: RequestBody | undefined;
  /** The span of an RPC while tracing is on. */
  span: Span | undefined;
  /** Why the request was refused, for the log; absent where the status is enough. */
  reason: string | undefined;
  /** `sub` of the verified bearer, so that the access log need not read the token. */
  subject: string | undefined;
  /** It succeeded and is one of very many: the log leaves it out. */
  isRoutine: boolean;
  /** The request was logged and counted. */
  isEnded: boolean;
  /** Logs and counts the request once, at the latest when its connection closes. */
  readonly end: () => void;
}

/** The path of a request target. */
export function pathOf(target: string | undefined): string {
  const text = target ?? '/';
  const query = text.indexOf('?');
  return query < 0 ? text : text.slice(0, query);
}
