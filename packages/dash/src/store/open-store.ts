import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';
import type { DocumentStore } from './contract.ts';
import { FileStore } from './file-store.ts';
import { GitStore } from './git-store.ts';

/** Values of `--store`. */
export const STORE_KINDS = ['fs', 'git'] as const;

/** Opens a store by its kind. @throws DashError STORAGE_BACKEND_UNKNOWN `{store, known}`. */
export function openStore(kind: string, root: string): DocumentStore {
  if (kind === 'fs') return new FileStore({ root });
  if (kind === 'git') return new GitStore({ root });
  const message = `Store "${display(kind)}" does not exist; known: ${STORE_KINDS.join(', ')}.`;
  throw new DashError('STORAGE_BACKEND_UNKNOWN', message, { store: kind, known: [...STORE_KINDS] });
}
