import { readBody } from '@msg/foundation/http-guard';
import { type Field, ShapeError } from '@msg/foundation/shape';
import { display, displayValue } from '../document/display.ts';
import { isJsonObject, type JsonObject } from '../document/json.ts';
import { MAX_NESTING, textNestsDeeper } from '../document/nesting.ts';
import { DashError } from '../errors.ts';
import { documentInvalid } from '../resolve/context.ts';
import type { Override } from '../resolve/overrides.ts';
import { RequestError } from './request-error.ts';

/** Largest request body (dashboard details 18). */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Largest body of what a page asks for (page and review 2). */
const MAX_PAGE_BODY_BYTES = 1024 * 1024;

/** How much of a body that is too large is read before the connection closes. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024;

/**
 * The body of a request, decoded.
 * @throws DashError SERVE_TOO_LARGE `{limit}`; RequestError 400 when the sender disconnects
 */
export async function bodyOf(request: Request, limit = MAX_BODY_BYTES): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const bound = { limit, dropLimit: MAX_DROPPED_BYTES };
  const body = await readBody(request.body, bound).catch(() => {
    throw new RequestError(400, 'The body is incomplete; send it again.');
  });
  if (body !== undefined) return body;
  const message = `The body must be at most ${limit} bytes; got more.`;
  throw new DashError('SERVE_TOO_LARGE', message, { limit });
}

/** An override map; an empty body is an empty map. @throws RequestError 400; DashError RESOLVE_DOCUMENT_INVALID for one that nests too deep. */
export function readOverrides(body: Uint8Array): Override[] {
  if (body.byteLength === 0) return [];
  const text = textOf(body);
  if (textNestsDeeper(text, MAX_NESTING + 1)) {
    const message = `The overrides must be nested at most ${MAX_NESTING} levels deep; got more.`;
    throw documentInvalid('overrides', message, { reason: 'limit' });
  }
  return Object.entries(readObject(text)).map(([address, value]) => ({ address, value }));
}

/** The members of a body by their shape. @throws RequestError 400. */
export function readShape<T>(shape: Field<T>, request: JsonObject): T {
  try {
    return shape.read(request, '');
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const { problem, path, expected, value } = error.details;
    const got = problem === 'type' ? `; got ${displayValue(value)}` : '';
    throw new RequestError(400, `Member "${display(path)}" ${expected}${got}.`);
  }
}

/**
 * The JSON object in the body of a request of a page: at most 1 MiB that says what it is, so that no form of another
 * page can send it (page and review 2).
 * @throws RequestError 415, 400; DashError SERVE_TOO_LARGE, RESOLVE_DOCUMENT_INVALID.
 */
export async function jsonBodyOf(request: Request): Promise<JsonObject> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new RequestError(415, `Content-Type must be application/json; got "${display(type)}".`);
  }
  const text = textOf(await bodyOf(request, MAX_PAGE_BODY_BYTES));
  if (textNestsDeeper(text, MAX_NESTING + 1)) {
    const message = `The body must be nested at most ${MAX_NESTING} levels deep; got more.`;
    throw documentInvalid('body', message, { reason: 'limit' });
  }
  return readObject(text);
}

/** A body as text. @throws RequestError 400 for bytes that are not UTF-8. */
export function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new RequestError(400, 'The body must be UTF-8; got other bytes.');
  }
}

/** A JSON object. @throws RequestError 400. */
export function readObject(text: string): JsonObject {
  const value = parse(text);
  if (!isJsonObject(value))
    throw new RequestError(400, `The body must be a JSON object; got ${displayValue(value)}.`);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(400, 'The body must be JSON; got another text.');
  }
}
