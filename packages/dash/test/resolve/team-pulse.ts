import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadCatalog } from '#src/catalog/index.ts';
import type { JsonObject } from '#src/document/json.ts';
import { DashError, type ErrorEnvelope } from '#src/errors.ts';
import { type ResolveOptions, resolveDocument } from '#src/resolve/index.ts';
import type { ResolvedNode, ResolvedTree } from '#src/resolve/tree.ts';

const FILE = fileURLToPath(new URL('../../fixtures/team-pulse.json', import.meta.url));
export const catalog = loadCatalog();

/** The document of dashboard details 1.4, fresh for every edit. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into the document by path
export function teamPulse(): any {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

export function resolveWith(document: JsonObject, options: ResolveOptions = {}): ResolvedTree {
  return resolveDocument(document, catalog, { environment: {}, ...options });
}

/** The node `id` of a tree. */
export function nodeOf(tree: ResolvedTree, id: string): ResolvedNode {
  const waiting = [tree.root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.id === id) return node;
    waiting.push(...(node.children ?? []));
  }
  throw new Error(`no node ${id}`);
}

/** The coded error that `work` ends in. */
export function errorOf(work: () => unknown): ErrorEnvelope {
  try {
    work();
  } catch (error) {
    if (error instanceof DashError) return error.toEnvelope();
    throw error;
  }
  throw new Error('no failure');
}
