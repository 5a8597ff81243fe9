import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { MsgError } from '@msg/core';
import type { RedisOptions } from '../../stores/redis/options.ts';
import { formatKeyring } from './document.ts';
import { KeySet } from './key-set.ts';
import { mergeSnapshot, parseSnapshot, type Snapshot } from './snapshot.ts';
import { KeyringConflict, type KeyringStore } from './store/contract.ts';
import { FileKeyringStore } from './store/file.ts';

/** Attempts of a merge on a keyring that a running server writes to. */
const MAX_ATTEMPTS = 8;

/** The result of an import. */
export interface ImportReport {
  readonly active_key_id: string;
  /** Number of keys after the import. */
  readonly keys: number;
  readonly added: number;
  readonly updated: number;
}

/** Location of a stored keyring: a state directory, the keyring file itself, or a shared store. */
export type KeyringSource = { readonly path: string } | { readonly redis: RedisOptions };

/** The store for `--state-dir`: a directory, or the keyring file itself. */
async function storeAt(path: string): Promise<FileKeyringStore> {
  const existing = await stat(path).catch(() => undefined);
  const isFile = existing === undefined ? path.endsWith('.json') : existing.isFile();
  return isFile ? new FileKeyringStore(dirname(path), basename(path)) : new FileKeyringStore(path);
}

/** Runs work on a stored keyring, with a connection for its duration. */
async function withStore<T>(source: KeyringSource, work: (store: KeyringStore) => Promise<T>): Promise<T> {
  if ('path' in source) return work(await storeAt(source.path));
  const { withSharedKeyring } = await import('./store/redis/offline.ts');
  return withSharedKeyring(source.redis, work);
}

/**
 * The snapshot document of a stored keyring, with its secrets, as text.
 * @throws MsgError MSG_INVALID_ARGUMENT when nothing is stored there. Source: messaging details 7.4.
 */
export function exportKeyring(source: KeyringSource): Promise<string> {
  return withStore(source, async store => {
    const stored = await store.load();
    if (stored !== undefined) return formatKeyring(stored.keySet);
    throw new MsgError('MSG_INVALID_ARGUMENT', `there is no keyring at ${store.location}`);
  });
}

/**
 * Merges a snapshot into a stored keyring, and creates a missing one.
 * @throws MsgError MSG_INVALID_ARGUMENT, without a change of the store. Source: messaging details 7.4.
 */
export async function importKeyring(
  source: KeyringSource,
  document: string,
  options: { readonly force: boolean },
): Promise<ImportReport> {
  const snapshot = parseSnapshot(document);
  return withStore(source, store => merge(store, () => snapshot, options.force));
}

export interface SyncOptions {
  /** Retires keys that only the target has. */
  readonly prune: boolean;
  readonly force: boolean;
}

/**
 * Merges the keyring of one store into that of another; writes only if they differ.
 * @throws MsgError MSG_INVALID_ARGUMENT when the source has no keyring, and as {@link importKeyring}. Source: messaging
 * details, section 22.
 */
export async function syncKeyring(
  from: KeyringSource,
  to: KeyringSource,
  { prune, force }: SyncOptions,
): Promise<ImportReport> {
  const { keySet } = parseSnapshot(await exportKeyring(from));
  const snapshotFor = (local: KeySet): Snapshot => {
    const strangers = local.keys.filter(key => keySet.resolve(key.id) === undefined).map(key => key.id);
    return { keySet, retired: new Set(prune ? strangers : []) };
  };
  return withStore(to, store => merge(store, snapshotFor, force));
}

/** Merges the snapshot that `snapshotFor` makes from the stored keyring. */
async function merge(
  store: KeyringStore,
  snapshotFor: (local: KeySet) => Snapshot,
  force: boolean,
): Promise<ImportReport> {
  for (let attempt = 1; ; attempt++) {
    const stored = await store.load();
    const local = stored?.keySet ?? new KeySet([]);
    const { keySet, added, updated } = mergeSnapshot(local, snapshotFor(local), force);
    try {
      if (added + updated > 0) await store.save(keySet, stored?.version);
      return { active_key_id: keySet.active?.id ?? '', keys: keySet.keys.length, added, updated };
    } catch (error) {
      if (!(error instanceof KeyringConflict) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}
