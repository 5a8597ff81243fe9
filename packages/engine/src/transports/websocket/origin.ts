import type { IncomingMessage } from 'node:http';

/**
 * The default origin rule (client protocol 4.1): no `Origin` is fine, otherwise its host and port must be those
 * of `Host`.
 */
export function isSameOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  if (host === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host.toLowerCase() === host.toLowerCase();
}
