import { isUtf8 } from 'node:buffer';
import type { ProgramIo } from '@msg/command-line';
import { requireExactNumbers } from '../changeset/parse.ts';
import { firstInexactNumber } from '../document/canonical.ts';
import { display, displayValue } from '../document/display.ts';
import { isJsonObject, type JsonObject } from '../document/json.ts';
import { MAX_NESTING, nestsDeeper } from '../document/nesting.ts';
import { DashError } from '../errors.ts';
import { documentInvalid } from '../resolve/context.ts';
import { parseDocumentText } from '../resolve/envelope.ts';
import { errnoOf } from '../store/contract.ts';

/**
 * JSON of a changeset file, or of standard input for `-`.
 * @throws DashError RESOLVE_IO for an unreadable file, PATCH_INVALID for text that is not JSON in UTF-8 or holds a number
 *   that a double cannot hold.
 */
export async function readChangeset(path: string, io: ProgramIo): Promise<unknown> {
  const text = decoded(await readBytes(path, io));
  if (text === undefined) throw notJson(path);
  const changeset = parseChangesetText(path, text);
  requireExactNumbers(text);
  return changeset;
}

function parseChangesetText(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(path);
  }
}

function notJson(path: string): DashError {
  const message = `The changeset ${display(path)} must be JSON in UTF-8; got other bytes.`;
  return new DashError('PATCH_INVALID', message, { reason: 'not_json' });
}

/**
 * A document file of at most 8 MiB, or standard input for `-`.
 * @throws DashError RESOLVE_IO, RESOLVE_DOCUMENT_INVALID.
 */
export async function readDocument(path: string, io: ProgramIo): Promise<JsonObject> {
  return parseDocument(path, await readText(path, io));
}

/**
 * The same for a document that will be stored, which writing must not change.
 * @throws DashError also RESOLVE_DOCUMENT_INVALID for a number that a double cannot hold and for too deep nesting.
 */
export async function readNewDocument(path: string, io: ProgramIo): Promise<JsonObject> {
  const text = await readText(path, io);
  const document = parseDocument(path, text);
  if (nestsDeeper(document)) {
    const message = `${display(path)} must be nested at most ${MAX_NESTING} levels deep; got more.`;
    throw documentInvalid(path, message, { reason: 'limit' });
  }
  const inexact = firstInexactNumber(text);
  if (inexact === undefined) return document;
  const message = `Every number of ${display(path)} must be one that a double can hold; got ${display(inexact)}.`;
  throw documentInvalid(path, message, { reason: 'number' });
}

function parseDocument(path: string, text: string): JsonObject {
  const document = parseDocumentText(text, path);
  if (isJsonObject(document)) return document;
  throw documentInvalid(path, `${display(path)} must be a JSON object; got ${displayValue(document)}.`, {
    reason: 'not_a_json_object',
  });
}

/** A text file in UTF-8, or standard input for `-`. @throws DashError RESOLVE_IO, RESOLVE_DOCUMENT_INVALID. */
export async function readText(path: string, io: ProgramIo): Promise<string> {
  const text = decoded(await readBytes(path, io));
  if (text !== undefined) return text;
  throw documentInvalid(path, `${display(path)} must be UTF-8; got other bytes.`, { reason: 'not_utf8' });
}

async function readBytes(path: string, io: ProgramIo): Promise<Uint8Array> {
  try {
    return path === '-' ? await io.readStdin() : await io.readFile(path);
  } catch (error) {
    const message = `${display(path)} is not readable (${errnoOf(error) ?? 'failure'}); check the path.`;
    throw new DashError('RESOLVE_IO', message, { source: path });
  }
}

/** Bytes as text; undefined when they are not UTF-8. */
function decoded(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
}
