import { type Logger, silentLogger } from '../../observability/logger.ts';
import type { KeySet } from './key-set.ts';
import type { KeyringStore } from './store/contract.ts';
import { FileKeyringStore } from './store/file.ts';

/** The options that locate the keyring. */
export interface KeyringPlaceOptions {
  readonly keySet?: KeySet;
  readonly keyringStore?: KeyringStore;
  /** The store that nodes share, if any. */
  readonly shared?: KeyringStore;
  /** The option that `shared` comes from. */
  readonly sharedBy: 'redis' | 'stores';
  readonly stateDir?: string;
  readonly logger?: Logger;
}

/**
 * Locates the keyring by the first of these options: a key set, a store, the shared store, a state directory, else none
 * (messaging details 7.2). Warns about ignored options, and about a keyring that ends with the process.
 */
export async function locateKeyring(
  options: KeyringPlaceOptions,
): Promise<{ readonly keySet?: KeySet; readonly store?: KeyringStore }> {
  const { keySet, keyringStore, shared, stateDir = '' } = options;
  const logger = options.logger ?? silentLogger;
  const sources = [
    ...(keySet === undefined ? [] : ['keySet']),
    ...(keyringStore === undefined ? [] : ['keyringStore']),
    ...(shared === undefined ? [] : [options.sharedBy]),
    ...(stateDir === '' ? [] : ['stateDir']),
  ];
  if (sources.length > 1)
    logger.warn({ used: sources[0], ignored: sources.slice(1) }, 'more than one keyring place is set');
  if (keySet !== undefined) return { keySet };
  if (keyringStore !== undefined) return { store: keyringStore };
  if (shared !== undefined) return { store: shared };
  if (stateDir === '') {
    logger.warn({}, 'the keyring is ephemeral: a restart invalidates every token');
    return {};
  }
  const store = new FileKeyringStore(stateDir);
  await store.protect();
  return { store };
}
