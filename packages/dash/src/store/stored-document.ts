import { display } from '../document/display.ts';
import { isJsonObject, type JsonObject, ownMember } from '../document/json.ts';
import { MAX_DOCUMENT_BYTES } from '../document/size.ts';
import { DashError } from '../errors.ts';

/** A stored document as far as every reader needs it: its text, its data and the id that it claims. */
export interface StoredDocument {
  readonly text: string;
  readonly document: JsonObject;
  readonly manifestId: string;
}

/**
 * Reads stored bytes: UTF-8 (a byte order mark is skipped), a JSON object with a text `manifest.id`.
 * @throws DashError STORAGE_INVALID `{id, reason}`.
 */
export function readStored(id: string, bytes: Uint8Array): StoredDocument {
  if (bytes.byteLength > MAX_DOCUMENT_BYTES) throw storedInvalid(id, 'size');
  const text = decode(id, bytes);
  const document = parse(id, text);
  if (!isJsonObject(document)) throw storedInvalid(id, 'not_an_object');
  const manifest = ownMember(document, 'manifest');
  const manifestId = isJsonObject(manifest) ? ownMember(manifest, 'id') : undefined;
  if (typeof manifestId !== 'string') throw storedInvalid(id, 'no_manifest_id');
  return { text, document, manifestId };
}

/**
 * Checks that a document claims the id of its address.
 * @throws DashError STORAGE_ID_MISMATCH `{id, manifestId}` when it claims another one.
 */
export function requireMatchingId(id: string, stored: StoredDocument): void {
  if (stored.manifestId === id) return;
  const { manifestId } = stored;
  const message = `manifest.id of document "${id}" must be "${id}"; got "${display(manifestId)}".`;
  throw new DashError('STORAGE_ID_MISMATCH', message, { id, manifestId });
}

function decode(id: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw storedInvalid(id, 'not_utf8');
  }
}

function parse(id: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw storedInvalid(id, 'not_json');
  }
}

function storedInvalid(id: string, reason: string): DashError {
  return new DashError('STORAGE_INVALID', `Stored document "${id}" is not valid: ${reason}.`, {
    id,
    reason,
  });
}
