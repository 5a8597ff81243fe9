import { processIo, runProgram } from '@msg/command-line';
import { loadCatalog } from '#src/catalog/index.ts';
import { DASHDOC } from '#src/cli/program.ts';
import type { JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import { type DocumentEngine, openDocumentEngine } from '#src/reads/document-engine.ts';
import type { ResolvedTree } from '#src/resolve/tree.ts';
import { smallTypes } from '../changeset/small-types.ts';

/** What one command line gave. */
export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An engine of a few types, whose resolver answers with the document and refuses one without a theme. */
const engine: Omit<DocumentEngine, 'catalog'> = {
  types: smallTypes,
  rowsError: () => undefined,
  resolve(document: JsonObject, { overrides } = {}) {
    if (document['theme'] === undefined) throw new DashError('VAR_UNDEFINED', 'No theme.', { name: 'theme' });
    // The tree of a resolver that adds nothing.
    return { ...document, ...(overrides?.length ? { overrides } : {}) } as unknown as ResolvedTree;
  },
};

/** Runs a command line in this process, with an engine of a few types. */
export function dashdoc(words: readonly string[], stdin: string | Uint8Array = ''): Promise<Outcome> {
  return run(words, stdin, () => ({ ...engine, catalog: loadCatalog() }));
}

/** The same with the shipped types and the real resolver. */
export function fullDashdoc(words: readonly string[], stdin: string | Uint8Array = ''): Promise<Outcome> {
  return run(words, stdin, openDocumentEngine);
}

async function run(
  words: readonly string[],
  stdin: string | Uint8Array,
  openEngine: (directory?: string) => DocumentEngine,
): Promise<Outcome> {
  const told = { stdout: [] as string[], stderr: [] as string[] };
  const status = await runProgram(DASHDOC, words, {
    ...processIo(),
    terminal: { out: false, err: false, columns: undefined },
    readStdin: async () => (typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin),
    out: text => void told.stdout.push(text),
    err: text => void told.stderr.push(text),
    openEngine,
  });
  return { status, stdout: told.stdout.join(''), stderr: told.stderr.join('') };
}
