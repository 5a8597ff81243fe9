import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSameOrigin } from '../websocket/origin.ts';
import { endUnread, isUnread } from './unread.ts';

/**
 * What an endpoint answers to the origin of a request: `same` and `listed` may send credentials, `any` (everybody
 * is allowed) may not, `refused` gets 403.
 */
export type OriginDecision = 'same' | 'listed' | 'any' | 'refused';

/** How an endpoint decides about the origin of a request. */
export interface OriginOptions {
  /** Default: no `Origin`, or one equal to `Host`. */
  readonly decideOrigin?: (request: IncomingMessage) => OriginDecision;
}

/** How long browsers may remember a preflight, seconds. */
const MAX_AGE = '300';

function decideByHost(request: IncomingMessage): OriginDecision {
  return isSameOrigin(request) ? 'same' : 'refused';
}

/**
 * Applies the origin rules before anything else of a request is looked at (client protocol 4.6). Adds the headers of
 * an allowed origin to `headers` and answers what needs no more: a refused origin with 403, `OPTIONS` with 204,
 * another method with 405.
 * @param headers of the answer, names and values in turns, as `writeHead` takes them
 * @returns true when the request is answered.
 */
export function answeredByCors(
  request: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  methods: readonly string[],
  { decideOrigin = decideByHost }: OriginOptions,
): boolean {
  const decision = decideOrigin(request);
  const { origin } = request.headers;
  if (origin !== undefined) headers.push('vary', 'Origin');
  if (decision === 'refused') return answer(request, response, headers, 403);
  if (origin !== undefined) {
    headers.push('access-control-allow-origin', origin);
    if (decision !== 'any') headers.push('access-control-allow-credentials', 'true');
  }
  const { method = '' } = request;
  if (methods.includes(method)) return false;
  const allowed = [...methods, 'OPTIONS'].join(', ');
  if (method !== 'OPTIONS') {
    headers.push('allow', allowed);
    return answer(request, response, headers, 405);
  }
  const requested = request.headers['access-control-request-headers'];
  headers.push('access-control-allow-methods', allowed, 'access-control-max-age', MAX_AGE);
  if (requested !== undefined) headers.push('access-control-allow-headers', requested);
  return answer(request, response, headers, 204);
}

/**
 * Ends a request with a status and a line of text.
 * @param unread its body was not taken to the end: the rest is not read, and the connection ends
 */
export function answer(
  request: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  status: number,
  text = '',
  unread = isUnread(request),
): true {
  if (unread) headers.push('connection', 'close');
  if (text !== '') headers.push('content-type', 'text/plain; charset=utf-8');
  if (status !== 204) headers.push('content-length', String(Buffer.byteLength(text)));
  response.writeHead(status, headers);
  if (unread) endUnread(response, text);
  else response.end(text);
  return true;
}
