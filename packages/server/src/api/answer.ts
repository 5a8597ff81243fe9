import type { IncomingHttpHeaders } from 'node:http';
import { send } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';
import { type ApiFailure, errorText } from './errors.ts';

const JSON_TYPE = 'application/json';
/** Longest `X-Msg-Detail`. */
const MAX_DETAIL = 512;

/** Whether a request selects the error mode in which failures have their own HTTP status. */
export function isTransportMode(headers: IncomingHttpHeaders): boolean {
  return headers['x-centrifugo-error-mode'] === 'transport';
}

/** Answers JSON text. */
export function answerText(context: RequestContext, text: string): void {
  send(context, 200, JSON_TYPE, text);
}

/** Answers the failure of a single command. Headers carry the details: the error object has only two members. */
export function answerFailure(context: RequestContext, failure: ApiFailure, isTransport: boolean): void {
  const { code, msgCode, detail, retryAfterMs } = failure;
  const { headers } = context;
  if (msgCode !== undefined) headers.push('x-msg-code', msgCode);
  headers.push('x-msg-detail', percentEncoded(detail));
  if (retryAfterMs !== undefined && (isTransport || code === 111))
    headers.push('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
  const error = errorText(code);
  if (isTransport) send(context, failure.status, JSON_TYPE, error);
  else send(context, 200, JSON_TYPE, `{"error":${error}}`);
}

/** UTF-8, percent-encoded, as many whole characters as fit. */
function percentEncoded(text: string): string {
  let encoded = '';
  for (const character of text.toWellFormed()) {
    const next =
      encoded + (/[ -~]/.test(character) && character !== '%' ? character : encodeURIComponent(character));
    if (next.length > MAX_DETAIL) break;
    encoded = next;
  }
  return encoded;
}
