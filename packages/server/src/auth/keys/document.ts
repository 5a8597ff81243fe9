import { MsgError, type Situation } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import { defined, isRecord } from '@msg/foundation/json';
import { ALGORITHMS } from './algorithms.ts';
import { type KeyRole, KeySet, type SigningKey } from './key-set.ts';
import type { KeyringEntry } from './material.ts';

/** `keyring.json` and the export snapshot (messaging details 7.3). */
export interface KeyringDocument {
  readonly format_version: string;
  readonly active_key_id: string;
  readonly keys: readonly KeyringEntry[];
}

/** The document of a ring, keys sorted by id. */
export function keySetDocument(keySet: KeySet): KeyringDocument {
  const keys = keySet.keys.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    format_version: keys.every(key => key.material.alg === 'HS256') ? '1' : '2',
    active_key_id: keySet.active?.id ?? '',
    keys: keys.map(key => ({
      id: key.id,
      ...defined({ alg: key.material.alg === 'HS256' ? undefined : key.material.alg }),
      ...key.material.export(),
      role: key.role,
      created_at: formatTimestamp(key.createdAt),
    })),
  };
}

/** The text of the document, with two-space indentation and a final newline. */
export function formatKeyring(keySet: KeySet): string {
  return `${JSON.stringify(keySetDocument(keySet), null, 2)}\n`;
}

/**
 * An invalid keyring document: MSG_INVALID_ARGUMENT. The message names location, if any, and member, and quotes no
 * content.
 */
export class KeyringFormatError extends MsgError {
  readonly problem: string;

  constructor(problem: string, location?: string) {
    const situation: Situation | undefined =
      location === undefined ? undefined : { name: 'keyringBroken', values: { path: location } };
    const text = `keyring${location === undefined ? '' : ` ${location}`}: ${problem}`;
    super('MSG_INVALID_ARGUMENT', text, defined({ situation }));
    this.problem = problem;
  }
}

type Members = Readonly<Record<string, unknown>>;

function text(members: Members, name: string, path: string): string {
  const value = members[name];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new KeyringFormatError(`${path}${name} must be a string`);
  return value;
}

function readEntry(value: unknown, index: number): SigningKey | undefined {
  const path = `keys[${index}].`;
  if (!isRecord(value)) throw new KeyringFormatError(`keys[${index}] must be an object`);
  const id = text(value, 'id', path);
  if (id === '') throw new KeyringFormatError(`${path}id is missing`);
  const role = text(value, 'role', path);
  if (role === 'retired') return undefined;
  if (role !== 'active' && role !== 'verify-only') {
    throw new KeyringFormatError(`${path}role must be active or verify-only`);
  }
  const createdText = text(value, 'created_at', path);
  const createdAt = Date.parse(createdText);
  if (Number.isNaN(createdAt)) throw new KeyringFormatError(`${path}created_at must be an RFC 3339 time`);
  const alg = text(value, 'alg', path) || 'HS256';
  const algorithm = ALGORITHMS.get(alg);
  if (algorithm === undefined) {
    throw new KeyringFormatError(`${path}alg must be one of ${[...ALGORITHMS.keys()].join(', ')}`);
  }
  try {
    const material = algorithm.load({
      id,
      role,
      created_at: createdText,
      secret_hex: text(value, 'secret_hex', path),
      private_pem: text(value, 'private_pem', path),
    });
    return { id, role, createdAt, material };
  } catch (error) {
    if (error instanceof KeyringFormatError) throw error;
    throw new KeyringFormatError(path + (error instanceof Error ? error.message : 'unusable'));
  }
}

/**
 * Reads a keyring document tolerantly: unknown members are ignored, retired entries dropped.
 * @throws KeyringFormatError
 */
export function parseKeyring(source: string): KeySet {
  let document: unknown;
  try {
    document = JSON.parse(source);
  } catch {
    throw new KeyringFormatError('not JSON');
  }
  if (!isRecord(document)) throw new KeyringFormatError('must be a JSON object');
  const version = text(document, 'format_version', '');
  if (!['', '1', '2'].includes(version)) {
    throw new KeyringFormatError('format_version must be "1" or "2"');
  }
  const entries = document['keys'] ?? [];
  if (!Array.isArray(entries)) throw new KeyringFormatError('keys must be an array');
  const keys = entries.map(readEntry).filter(key => key !== undefined);
  if (new Set(keys.map(key => key.id)).size !== keys.length) {
    throw new KeyringFormatError('two keys have the same id');
  }
  return withActive(keys, text(document, 'active_key_id', ''));
}

/** As {@link parseKeyring}; the error names where the document is stored. @throws KeyringFormatError */
export function parseStoredKeyring(source: string, location: string): KeySet {
  try {
    return parseKeyring(source);
  } catch (error) {
    throw error instanceof KeyringFormatError ? new KeyringFormatError(error.problem, location) : error;
  }
}

/** Makes roles agree with the document's `active_key_id`: exactly one key is active, unless the document has no keys. */
function withActive(keys: readonly SigningKey[], activeId: string): KeySet {
  if (activeId === '') {
    if (keys.length > 0) throw new KeyringFormatError('active_key_id is missing');
    return new KeySet([]);
  }
  if (!keys.some(key => key.id === activeId)) throw new KeyringFormatError('active_key_id names no key');
  if (keys.some(key => key.role === 'active' && key.id !== activeId)) {
    throw new KeyringFormatError('more than one active key');
  }
  const role = (key: SigningKey): KeyRole => (key.id === activeId ? 'active' : 'verify-only');
  return new KeySet(keys.map(key => ({ ...key, role: role(key) })));
}
