import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChangesetContext,
  canonicalBytes,
  commitChangeset,
  type DocumentStore,
  dryRunChangeset,
  GitStore,
  type Json,
  type JsonObject,
  loadCatalog,
  nodeTypes,
  type ResolvedTree,
  resolveDocument,
} from '@msg/dash';
import type { Operation } from './operation.ts';

const ID = 'bench';
const SIZES = [50, 500, 5_000];

const catalog = loadCatalog();

function workshop(store: DocumentStore): ChangesetContext<ResolvedTree> {
  return { store, types: nodeTypes(catalog), resolve: document => resolveDocument(document, catalog) };
}

/** The work on a document of so many nodes. */
export function documentWork(nodes: number) {
  const bytes = canonicalBytes(documentOf(nodes));
  const store = { capabilities: new Set(['revisions']), load: async () => ({ bytes, revision: '1' }) };
  // A dry run asks a store for nothing but one snapshot.
  const context = workshop(store as unknown as DocumentStore);
  const oneField = [{ op: 'replace', path: '/leaf-0/config/text', value: 'changed' }];
  const tenMoves = Array.from({ length: 10 }, (_, at) => ({
    op: 'move',
    from: `/block-${at}`,
    path: '/body/children/-',
  }));
  return {
    bytes: bytes.byteLength,
    work: {
      resolve: () => resolveDocument(documentOf(nodes), catalog),
      'one field': () => dryRunChangeset(context, { id: ID, ops: oneField }),
      'ten moves': () => dryRunChangeset(context, { id: ID, ops: tenMoves }),
    },
  };
}

/** A page whose body holds blocks with one heading each. */
function documentOf(nodes: number): JsonObject {
  const blocks: Json[] = Array.from({ length: (nodes - 2) / 2 }, (_, at) => ({
    id: `block-${at}`,
    type: 'block',
    placement: { colStart: 1, rowStart: (at % 1_000) + 1 },
    config: {
      title: `Block ${at}`,
      content: { id: `leaf-${at}`, type: 'heading', config: { text: `Text ${at}`, level: 2 } },
    },
  }));
  const body = { id: 'body', type: 'container', children: blocks };
  return {
    manifest: { formatVersion: '1.0.0', id: ID },
    root: { id: 'page', type: 'container', children: [body] },
  };
}

/** A commit of one field into a repository of git, which ends with the process. */
async function gitCommit(): Promise<() => Promise<unknown>> {
  const root = mkdtempSync(join(tmpdir(), 'msg-bench-git-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
  git('init', '-q');
  git('config', 'user.name', 'bench');
  git('config', 'user.email', 'bench@localhost');
  const store = new GitStore({ root });
  await store.save(ID, canonicalBytes(documentOf(50)));
  const context = workshop(store);
  let count = 0;
  return () => {
    const ops = [{ op: 'replace', path: '/leaf-0/config/text', value: `changed ${count++}` }];
    return commitChangeset(context, { id: ID, ops });
  };
}

/** Resolution, dry runs and a commit. */
export async function operations(): Promise<readonly Operation[]> {
  const inMemory = SIZES.flatMap(nodes =>
    Object.entries(documentWork(nodes).work).map(([name, run]) => ({
      name: `${name}, ${nodes} nodes`,
      clock: 'cpu' as const,
      run,
    })),
  );
  return [...inMemory, { name: 'git commit', clock: 'wall', run: await gitCommit() }];
}
