import type { IncomingMessage } from 'node:http';
import { MsgError } from '@msg/core';
import type { Place } from './place.ts';

const OWN_HEADER = 'x-msg-console';

/** What a request lacks to be one of the console's own page; undefined for one of it. */
function missing({ headers }: IncomingMessage, { origin }: Place): string | undefined {
  if (headers['content-type'] !== 'application/json') return 'Content-Type: application/json';
  if (headers[OWN_HEADER] !== '1') return 'X-Msg-Console: 1';
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'Sec-Fetch-Site: same-origin';
  // An origin that a browser hides is `null`.
  if (origin === '' || headers.origin !== origin) return `Origin: ${origin || '(unknown)'}`;
  return undefined;
}

/**
 * Refuses a request that is not one of the console's own page, before anything of it is read (console, section 4.5).
 * @throws MsgError MSG_AUTH_DENIED, reason `origin`
 */
export function requireOwnPage(request: IncomingMessage, place: Place): void {
  const lacks = missing(request, place);
  if (lacks === undefined) return;
  const text = `only the console's own page may call this: the request needs ${lacks}; behind a proxy set console.origin`;
  throw new MsgError('MSG_AUTH_DENIED', text, { reason: 'origin' });
}
