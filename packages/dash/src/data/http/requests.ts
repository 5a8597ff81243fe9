import { display } from '../../document/display.ts';
import { isJsonObject, type JsonObject, ownMember } from '../../document/json.ts';
import { DashError } from '../../errors.ts';
import type { HttpAnswer } from '../dial/http-request.ts';
import type { SourceTools } from '../source.ts';

/** Headers that say how a request is sent: a document does not set them. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

/** An object in a config; empty when absent. */
export function objectMember(config: JsonObject, member: string): JsonObject {
  const value = ownMember(config, member);
  return isJsonObject(value) ? value : {};
}

/** The headers of a connection. @throws DashError QUERY_INVALID for one that a document must not set. */
export function readHeaders(config: JsonObject): Record<string, string> {
  const headers = Object.entries(objectMember(config, 'headers'));
  const refused = headers.find(([name]) => OWN_HEADERS.test(name));
  if (refused === undefined) return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]));
  const message = `Header "${display(refused[0])}" must not be set by a connection; leave it out.`;
  throw new DashError('QUERY_INVALID', message, { header: refused[0] });
}

/** @throws DashError QUERY_FAILED for an answer that is an error, with the start of what the server says. */
export function refuseStatus({ upstreamText }: SourceTools, { status, body, contentType }: HttpAnswer): void {
  if (status < 400) return;
  const isText = /json|text\/plain/i.test(contentType);
  const reason = isText ? upstreamText(body.toString('utf8').trim()) : '';
  const message = `The server answers with status ${status}${reason === '' ? '' : `: ${reason}`}.`;
  throw new DashError('QUERY_FAILED', message, { status, reason: reason === '' ? undefined : reason });
}
