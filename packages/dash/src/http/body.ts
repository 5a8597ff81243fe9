import { requireExactNumbers } from '#src/changeset/parse.ts';
import type { Commission } from '#src/changeset/pipeline.ts';
import { isJsonObject, type JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import type { Override } from '#src/resolve/overrides.ts';
import { RequestFault } from './faults.ts';

/** Largest request body (dashboard details 18). */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** How much of a body that is too large is read and dropped, so that its sender gets to the answer. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;

const MEMBERS: ReadonlySet<string> = new Set(['id', 'ops', 'expectedRevision', 'message']);
const LONGEST_SUBJECT = 200;

/**
 * The whole body, whatever its encoding. One that is too large is still received up to a point: a connection that is cut
 * while the sender writes loses the answer.
 *
 * @throws DashError SERVE_TOO_LARGE `{limit}`; RequestFault 400 when the sender goes away.
 */
export async function readBody(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else if (size > MAX_DROPPED_BYTES) break;
    }
  } catch {
    throw new RequestFault(400, 'The body ended early.');
  }
  if (size <= MAX_BODY_BYTES) return Buffer.concat(chunks);
  const message = `The body is larger than ${MAX_BODY_BYTES} bytes.`;
  throw new DashError('SERVE_TOO_LARGE', message, { limit: MAX_BODY_BYTES });
}

/** An override map; an empty body is an empty map. @throws RequestFault 400. */
export function readOverrides(body: Uint8Array): Override[] {
  if (body.byteLength === 0) return [];
  return Object.entries(readObject(textOf(body))).map(([address, value]) => ({ address, value }));
}

/**
 * The body of a commit or a dry run. `ops` is left to the pipeline; everything else is checked strictly, because a
 * misspelt or lost precondition must not become a write without one (dashboard details 15.2).
 *
 * @throws RequestFault 400; DashError PATCH_INVALID for a number that a double cannot hold.
 */
export function readCommission(body: Uint8Array): Commission {
  const text = textOf(body);
  const request = readObject(text);
  const unknown = Object.keys(request).find(member => !MEMBERS.has(member));
  if (unknown !== undefined) {
    const allowed = [...MEMBERS].join(', ');
    throw new RequestFault(400, `Unknown member "${unknown.slice(0, 100)}"; allowed are ${allowed}.`);
  }
  const { id, ops, expectedRevision, message } = request;
  if (typeof id !== 'string' || id === '') throw new RequestFault(400, '"id" must be a non-empty text.');
  const commission = {
    id,
    ops,
    ...(expectedRevision === undefined ? {} : { expectedRevision: requireRevision(expectedRevision) }),
    ...(message === undefined ? {} : { message: requireSubject(message) }),
  };
  requireExactNumbers(text);
  return commission;
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new RequestFault(400, 'The body is not UTF-8.');
  }
}

function readObject(text: string): JsonObject {
  const value = parse(text);
  if (!isJsonObject(value)) throw new RequestFault(400, 'The body must be a JSON object.');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestFault(400, 'The body is not JSON.');
  }
}

function requireRevision(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new RequestFault(400, '"expectedRevision" must be a text; leave it out to skip the check.');
}

function requireSubject(value: unknown): string {
  const fits = typeof value === 'string' && value !== '' && value.length <= LONGEST_SUBJECT;
  if (fits && value.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(value)) return value;
  throw new RequestFault(400, `"message" must be one line of 1 to ${LONGEST_SUBJECT} characters.`);
}
