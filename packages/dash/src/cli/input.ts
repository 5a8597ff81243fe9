import { readFile } from 'node:fs/promises';
import { requireExactNumbers } from '#src/changeset/parse.ts';
import { firstInexactNumber } from '#src/document/canonical.ts';
import { isJsonObject, type JsonObject } from '#src/document/json.ts';
import { MAX_NESTING, nestsDeeper } from '#src/document/nesting.ts';
import { DashError } from '#src/errors.ts';
import { errnoOf } from '#src/store/contract.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * JSON of a changeset file, or of standard input for `-`.
 *
 * @throws DashError CLI_INVALID for an unreadable file, PATCH_INVALID for text that is no JSON or holds a number that
 *   a double cannot hold.
 */
export async function readChangeset(path: string, surroundings: Surroundings): Promise<unknown> {
  const text = await readText(path, surroundings);
  const changeset = parseChangesetText(text);
  requireExactNumbers(text);
  return changeset;
}

function parseChangesetText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DashError('PATCH_INVALID', 'The changeset is not JSON.', { reason: 'not_json' });
  }
}

/** A document file, or standard input for `-`. @throws DashError RESOLVE_IO, RESOLVE_DOCUMENT_INVALID. */
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
    throw new DashError('RESOLVE_DOCUMENT_INVALID', message, { source: path, reason: 'limit' });
  }
  const inexact = firstInexactNumber(text);
  if (inexact === undefined) return document;
  const message = `${path} holds the number ${inexact.slice(0, 100)}, which a double cannot hold.`;
  throw new DashError('RESOLVE_DOCUMENT_INVALID', message, { source: path, reason: 'number' });
}

function parseDocument(path: string, text: string): JsonObject {
  try {
    const document: unknown = JSON.parse(text);
    if (isJsonObject(document)) return document;
  } catch {
    // Reported below, like JSON that is no object.
  }
  const details = { source: path, reason: 'not_a_json_object' };
  throw new DashError('RESOLVE_DOCUMENT_INVALID', `${path} holds no JSON object.`, details);
}

async function readText(path: string, surroundings: Surroundings): Promise<string> {
  try {
    const bytes = path === '-' ? await surroundings.stdin() : await readFile(path);
    return new TextDecoder('utf-8').decode(bytes);
  } catch (error) {
    const message = `${path} cannot be read (${errnoOf(error) ?? 'failure'}).`;
    throw new DashError('RESOLVE_IO', message, { source: path });
  }
}
