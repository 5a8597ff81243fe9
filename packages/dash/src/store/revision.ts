import { createHash } from 'node:crypto';

const EXTERNAL_PREFIX = 'wt-';

/** Revision token of the `fs` store: lowercase hex SHA-256 of the bytes. */
export function contentRevision(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Revision token of bytes in a work tree that no commit holds: an external edit. */
export function externalRevision(bytes: Uint8Array): string {
  return EXTERNAL_PREFIX + contentRevision(bytes);
}

export function isExternal(revision: string): boolean {
  return revision.startsWith(EXTERNAL_PREFIX);
}
