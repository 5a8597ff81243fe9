import { readFile } from 'node:fs/promises';
import { MsgError, type SchemaSnapshot } from '@msg/core';
import { readSnapshot } from '@msg/core/internal';

/**
 * Reads the snapshot that `schemas_file` names.
 * @throws MsgError MSG_INVALID_ARGUMENT naming the file and the JSON path.
 */
export async function readSchemasFile(path: string): Promise<SchemaSnapshot> {
  const fail = (problem: string, cause?: unknown) =>
    new MsgError('MSG_INVALID_ARGUMENT', `schemas_file: ${path}: ${problem}`, { cause });
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw fail('cannot be read', cause);
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw fail('is not JSON', cause);
  }
  try {
    return readSnapshot(document);
  } catch (error) {
    if (error instanceof MsgError) throw fail(error.message, error);
    throw error;
  }
}
