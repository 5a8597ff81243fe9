import { remedyOf } from '@msg/core/advice';
import { defined } from '@msg/foundation/json';
import { sendText } from './answer.ts';
import type { RequestContext } from './request-context.ts';

/** Longest displayed origin. */
const SHOWN = 200;

/** An origin for answers and logs: truncated, printable ASCII only. */
function shownOrigin(origin: string): string {
  const text = origin.length > SHOWN ? `${origin.slice(0, SHOWN)}…` : origin;
  return JSON.stringify(text).replace(/[^\x20-\x7e…]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Refuses a foreign origin with 403; the body names the origin and the setting for the developer who reads it. */
export function refuseOrigin(context: RequestContext): void {
  const { origin = '', host = '' } = context.request.headers;
  context.reason = originReason(origin);
  const text =
    `origin ${shownOrigin(origin)} is not allowed on host ${shownOrigin(host)}: ` +
    'server.allowed_origins (--allowed-origin, MSG_ALLOWED_ORIGINS, option allowedOrigins) must list it\n';
  // The client of a refused handshake sends no further request.
  const isHandshake = context.request.headers.upgrade !== undefined;
  sendText(context, 403, text, {
    vary: 'Origin',
    ...defined({ connection: isHandshake ? 'close' : undefined }),
  });
}

/** The reason of a refused origin in the log. */
export function originReason(origin: string): string {
  const display = shownOrigin(origin);
  const remedy = remedyOf({ name: 'originForeign', values: { origin: display } });
  return `origin ${display} is not in server.allowed_origins; ${remedy}`;
}
