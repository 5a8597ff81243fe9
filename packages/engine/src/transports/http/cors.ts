import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSameOrigin } from '../websocket/origin.ts';

/**
 * What an endpoint answers to the origin of a request: `same` and `listed` may send credentials, `any` (everybody
 * is allowed) may not, `refused` gets 403.
 */
export type OriginVerdict = 'same' | 'listed' | 'any' | 'refused';

export interface OriginOptions {
  /** Default: no `Origin`, or one equal to `Host`. */
  readonly judgeOrigin?: (request: IncomingMessage) => OriginVerdict;
}

/** How long browsers may remember a preflight, seconds. */
const MAX_AGE = '300';

function judgeByHost(request: IncomingMessage): OriginVerdict {
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
  { judgeOrigin = judgeByHost }: OriginOptions,
): boolean {
  const verdict = judgeOrigin(request);
  const { origin } = request.headers;
  if (origin !== undefined) headers.push('vary', 'Origin');
  if (verdict === 'refused') return answer(request, response, headers, 403);
  if (origin !== undefined) {
    headers.push('access-control-allow-origin', origin);
    if (verdict !== 'any') headers.push('access-control-allow-credentials', 'true');
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

/** Ends a request with a bare status. What was not read of its body cannot be told from a next request. */
export function answer(
  request: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  status: number,
): true {
  const hasBody = request.headers['content-length'] !== undefined || 'transfer-encoding' in request.headers;
  if (hasBody && !request.complete) headers.push('connection', 'close');
  if (status !== 204) headers.push('content-length', '0');
  response.writeHead(status, headers);
  response.end();
  return true;
}
