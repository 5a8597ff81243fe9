import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { requireExactNumbers } from '#src/changeset/parse.ts';
import { firstInexactNumber } from '#src/document/canonical.ts';
import { isJsonObject, type JsonObject } from '#src/document/json.ts';
import { MAX_NESTING, nestsDeeper } from '#src/document/nesting.ts';
import { DashError } from '#src/errors.ts';
import { documentInvalid } from '#src/resolve/context.ts';
import { parseDocumentText } from '#src/resolve/envelope.ts';
import { errnoOf } from '#src/store/contract.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * JSON of a changeset file, or of standard input for `-`.
 *
 * @throws DashError RESOLVE_IO for an unreadable file, PATCH_INVALID for text that is no JSON in UTF-8 or holds a number
 *   that a double cannot hold.
 */
export async function readChangeset(path: string, surroundings: Surroundings): Promise<unknown> {
  const text = decoded(await readBytes(path, surroundings));
  if (text === undefined) throw notJson();
  const changeset = parseChangesetText(text);
  requireExactNumbers(text);
  return changeset;
}

function parseChangesetText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

function notJson(): DashError {
  return new DashError('PATCH_INVALID', 'The changeset is not JSON in UTF-8.', { reason: 'not_json' });
}

/**
 * A document file of at most 8 MiB, or standard input for `-`.
 *
 * @throws DashError RESOLVE_IO, RESOLVE_DOCUMENT_INVALID.
 */
export async function readDocument(path: string, surroundings: Surroundings): Promise<JsonObject> {
  return parseDocument(path, await readText(path, surroundings));
}

/**
 * The same of a document that is going to be stored: writing must not alter it.
 *
 * @throws DashError also RESOLVE_DOCUMENT_INVALID for a number that a double cannot hold and for too deep nesting.
 */
export async function readNewDocument(path: string, surroundings: Surroundings): Promise<JsonObject> {
  const text = await readText(path, surroundings);
  const document = parseDocument(path, text);
  if (nestsDeeper(document)) {
    const message = `Arrays and objects of ${path} nest deeper than ${MAX_NESTING} levels.`;
    throw documentInvalid(path, message, { reason: 'limit' });
  }
  const inexact = firstInexactNumber(text);
  if (inexact === undefined) return document;
  const message = `${path} holds the number ${inexact.slice(0, 100)}, which a double cannot hold.`;
  throw documentInvalid(path, message, { reason: 'number' });
}

function parseDocument(path: string, text: string): JsonObject {
  const document = parseDocumentText(text, path);
  if (isJsonObject(document)) return document;
  throw documentInvalid(path, `${path} holds no JSON object.`, { reason: 'not_a_json_object' });
}

async function readText(path: string, surroundings: Surroundings): Promise<string> {
  const text = decoded(await readBytes(path, surroundings));
  if (text !== undefined) return text;
  throw documentInvalid(path, `${path} is not UTF-8.`, { reason: 'not_utf8' });
}

async function readBytes(path: string, surroundings: Surroundings): Promise<Uint8Array> {
  try {
    return path === '-' ? await surroundings.stdin() : await readFile(path);
  } catch (error) {
    const message = `${path} cannot be read (${errnoOf(error) ?? 'failure'}).`;
    throw new DashError('RESOLVE_IO', message, { source: path });
  }
}

/** Bytes as text; undefined when they are not UTF-8. */
function decoded(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
}
