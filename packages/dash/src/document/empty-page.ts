import type { JsonObject } from './json.ts';

/** A page without children: what a new document starts from (review details 3.5). */
export function emptyPage(id: string): JsonObject {
  return {
    manifest: { formatVersion: '1.0.0', id },
    root: { id: 'page', type: 'container', children: [] },
  };
}
