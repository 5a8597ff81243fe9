import { MsgError } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import { KeyringFormatError, parseKeyring } from './document.ts';
import { type KeyRole, KeySet, type SigningKey } from './key-set.ts';

/** A snapshot for a merge into a key set. */
export interface Snapshot {
  readonly keySet: KeySet;
  /** Keys that the snapshot retires. */
  readonly retired: ReadonlySet<string>;
}

/** The result of a merge. */
export interface MergedKeySet {
  readonly keySet: KeySet;
  /** Number of keys that the snapshot added. */
  readonly added: number;
  /** Number of local keys that changed their role or secret, or were retired. */
  readonly updated: number;
}

const DOCUMENT_MEMBERS = new Set(['format_version', 'active_key_id', 'keys']);
const ENTRY_MEMBERS = new Set(['id', 'alg', 'secret_hex', 'private_pem', 'role', 'created_at', 'retired_at']);

function refuseUnknown(value: unknown, members: ReadonlySet<string>, path: string): void {
  if (!isRecord(value)) return;
  const stranger = Object.keys(value).find(name => !members.has(name));
  if (stranger !== undefined) throw new KeyringFormatError(`${path}${stranger} is not a known member`);
}

/**
 * Reads a snapshot strictly: unknown members are refused as well (messaging details 7.4).
 * @throws KeyringFormatError
 */
export function parseSnapshot(source: string): Snapshot {
  const keySet = parseKeyring(source);
  const document = JSON.parse(source) as { readonly keys?: readonly { id?: string; role?: string }[] }; // just parsed
  refuseUnknown(document, DOCUMENT_MEMBERS, '');
  const entries = document.keys ?? [];
  for (const [index, entry] of entries.entries()) refuseUnknown(entry, ENTRY_MEMBERS, `keys[${index}].`);
  const retired = new Set(entries.filter(({ role }) => role === 'retired').map(({ id }) => id ?? ''));
  const both = keySet.keys.find(key => retired.has(key.id));
  if (both !== undefined) throw new KeyringFormatError(`${both.id} is both retired and not`);
  return { keySet, retired };
}

function merged(local: SigningKey, incoming: SigningKey | undefined, force: boolean): SigningKey {
  if (incoming === undefined) return local;
  const same = incoming.material.fingerprint === local.material.fingerprint;
  if (!same && !force) {
    const text = `key ${local.id} has another secret here; --force takes the one of the snapshot`;
    throw new MsgError('MSG_INVALID_ARGUMENT', text);
  }
  return same ? { ...local, role: incoming.role } : incoming;
}

/**
 * Merges a snapshot: local keys stay, keys of the snapshot are added or set the role, its active key becomes the active
 * key.
 * @throws MsgError MSG_INVALID_ARGUMENT for a key with two different secrets, and for a result without an active key
 */
export function mergeSnapshot(local: KeySet, snapshot: Snapshot, force: boolean): MergedKeySet {
  const staying = local.keys.filter(key => !snapshot.retired.has(key.id));
  const added = snapshot.keySet.keys.filter(key => local.resolve(key.id) === undefined);
  const keys = [...staying.map(key => merged(key, snapshot.keySet.resolve(key.id), force)), ...added];
  const activeId = (snapshot.keySet.active ?? keys.find(key => key.role === 'active') ?? keys.at(-1))?.id;
  if (activeId === undefined) throw new MsgError('MSG_INVALID_ARGUMENT', 'no key would be left to sign');
  const roleOf = (key: SigningKey): KeyRole => (key.id === activeId ? 'active' : 'verify-only');
  const keySet = new KeySet(keys.map(key => ({ ...key, role: roleOf(key) })));
  const changed = local.keys.filter(key => {
    const now = keySet.resolve(key.id);
    return now?.role !== key.role || now.material.fingerprint !== key.material.fingerprint;
  });
  return { keySet, added: added.length, updated: changed.length };
}
