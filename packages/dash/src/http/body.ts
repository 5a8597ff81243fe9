import { readBody } from '@msg/foundation/http-guard';
import { requireExactNumbers, tooDeep } from '../changeset/parse.ts';
import type { CommitRequest } from '../changeset/pipeline.ts';
import { display, displayValue } from '../document/display.ts';
import { isJsonObject, type JsonObject } from '../document/json.ts';
import { MAX_NESTING, textNestsDeeper } from '../document/nesting.ts';
import { DashError } from '../errors.ts';
import { documentInvalid } from '../resolve/context.ts';
import type { Override } from '../resolve/overrides.ts';
import { isCommitSubject, SUBJECT_RULE } from '../store/commit-subject.ts';
import { RequestError } from './request-error.ts';

/** Largest request body (dashboard details 18). */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** How much of a body that is too large is read before the connection is cut. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024;

const MEMBERS: ReadonlySet<string> = new Set(['id', 'ops', 'expectedRevision', 'message']);

/**
 * The body of a request, whatever its encoding.
 * @throws DashError SERVE_TOO_LARGE `{limit}`; RequestError 400 when the sender goes away.
 */
export async function bodyOf(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const bound = { limit: MAX_BODY_BYTES, dropLimit: MAX_DROPPED_BYTES };
  const body = await readBody(request.body, bound).catch(() => {
    throw new RequestError(400, 'The body is incomplete; send it again.');
  });
  if (body !== undefined) return body;
  const message = `The body must be at most ${MAX_BODY_BYTES} bytes; got more.`;
  throw new DashError('SERVE_TOO_LARGE', message, { limit: MAX_BODY_BYTES });
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

/**
 * The body of a commit or a dry run. The pipeline checks `ops`; everything else is checked strictly, because a
 * misspelt or lost precondition must not become a write without one (dashboard details 15.2).
 * @throws RequestError 400; DashError PATCH_INVALID for a number that a double cannot hold and for too deep nesting.
 */
export function readCommitRequest(body: Uint8Array): CommitRequest {
  const text = textOf(body);
  if (textNestsDeeper(text, MAX_NESTING + 1)) throw tooDeep();
  const request = readObject(text);
  const unknown = Object.keys(request).find(member => !MEMBERS.has(member));
  if (unknown !== undefined) {
    const allowed = [...MEMBERS].join(', ');
    throw new RequestError(400, `Member "${display(unknown)}" does not exist; known: ${allowed}.`);
  }
  const { id, ops, expectedRevision, message } = request;
  if (typeof id !== 'string' || id === '')
    throw new RequestError(400, `"id" must be a non-empty text; got ${displayValue(id)}.`);
  const commit = {
    id,
    ops,
    ...(expectedRevision === undefined ? {} : { expectedRevision: requireRevision(expectedRevision) }),
    ...(message === undefined ? {} : { message: requireSubject(message) }),
  };
  requireExactNumbers(text);
  return commit;
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new RequestError(400, 'The body must be UTF-8; got other bytes.');
  }
}

function readObject(text: string): JsonObject {
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

function requireRevision(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new RequestError(
    400,
    `"expectedRevision" must be a text; got ${displayValue(value)}; leave it out to skip the check.`,
  );
}

function requireSubject(value: unknown): string {
  if (typeof value === 'string' && isCommitSubject(value)) return value;
  throw new RequestError(400, `"message" must be ${SUBJECT_RULE}; got ${displayValue(value)}.`);
}
