import { sendText } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { Origins } from './origins.ts';

/** How long browsers may remember a preflight, seconds. */
const MAX_AGE = '300';

/**
 * Applies the origin rules to a browser-facing route before anything else of it runs.
 * @param methods what the route answers, for preflights
 * @returns true when the exchange is answered: a refused origin (403) or a preflight (204).
 * Source: messaging details 3.2, "Origins and CORS".
 */
export function applyCors(exchange: Exchange, origins: Origins, methods: readonly string[]): boolean {
  const { request, response, headers } = exchange;
  const verdict = origins.judge(request);
  if (verdict === 'refused') {
    sendText(exchange, 403, 'origin not allowed', { vary: 'Origin' });
    return true;
  }
  const { origin } = request.headers;
  if (verdict !== 'none' && origin !== undefined) {
    headers.push('access-control-allow-origin', origin, 'vary', 'Origin');
    if (verdict === 'listed') headers.push('access-control-allow-credentials', 'true');
  }
  const isPreflight =
    request.method === 'OPTIONS' &&
    origin !== undefined &&
    request.headers['access-control-request-method'] !== undefined;
  if (!isPreflight) return false;
  const requested = request.headers['access-control-request-headers'];
  headers.push('access-control-allow-methods', methods.join(', '), 'access-control-max-age', MAX_AGE);
  if (requested !== undefined) headers.push('access-control-allow-headers', requested);
  response.writeHead(204, headers);
  response.end();
  return true;
}
