import { sendEmpty } from './answer.ts';
import { refuseOrigin } from './foreign-origin.ts';
import type { Origins } from './origins.ts';
import type { RequestContext } from './request-context.ts';

/** How long browsers may remember a preflight, seconds. */
const MAX_AGE = '300';

/**
 * Applies the origin rules to a browser-facing route before its handler runs.
 * @param methods methods of the route, for preflights
 * @returns true after an answer: to a refused origin (403) or a preflight (204) Source: messaging details 3.2, "Origins
 * and CORS".
 */
export function applyCors(context: RequestContext, origins: Origins, methods: readonly string[]): boolean {
  const { request, headers } = context;
  const decision = origins.decide(request);
  if (decision === 'refused') {
    refuseOrigin(context);
    return true;
  }
  const { origin } = request.headers;
  if (decision !== 'none' && origin !== undefined) {
    headers.push('access-control-allow-origin', origin, 'vary', 'Origin');
    if (decision === 'listed') headers.push('access-control-allow-credentials', 'true');
  }
  const isPreflight =
    request.method === 'OPTIONS' &&
    origin !== undefined &&
    request.headers['access-control-request-method'] !== undefined;
  if (!isPreflight) return false;
  const requested = request.headers['access-control-request-headers'];
  headers.push('access-control-allow-methods', methods.join(', '), 'access-control-max-age', MAX_AGE);
  if (requested !== undefined) headers.push('access-control-allow-headers', requested);
  sendEmpty(context, 204);
  return true;
}
