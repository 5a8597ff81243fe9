import { statSync } from 'node:fs';
import { ioFailure } from './contract.ts';

/** A mistyped root must not look like an empty store. @throws DashError STORAGE_IO. */
export function requireRoot(root: string): void {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw ioFailure('open', 'the root is not an existing directory');
}
