import type { IncomingMessage } from 'node:http';
import { isSameHost } from '@msg/foundation/http-guard';

/**
 * The default origin rule (client protocol 4.1): no `Origin` is fine, otherwise its host and port must be those
 * of `Host`.
 */
export function isSameOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  const url = URL.parse(origin);
  return url !== null && host !== undefined && isSameHost(url, host);
}
