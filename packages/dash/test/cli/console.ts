import { run } from '#src/cli/program.ts';
import type { Engine, ResolveFlags } from '#src/cli/surroundings.ts';
import type { JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import { smallTypes } from '../changeset/small-types.ts';

/** What one command line gave. */
export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An engine of a few types, whose resolver answers with the document and refuses one without a theme. */
const engine: Engine = {
  types: smallTypes,
  resolve(document: JsonObject, flags: ResolveFlags) {
    if (document['theme'] === undefined) throw new DashError('VAR_UNDEFINED', 'No theme.', { name: 'theme' });
    return { ...document, ...(flags.overrides?.length ? { overrides: flags.overrides } : {}) };
  },
};

/** Runs a command line in this process. */
export async function dashdoc(words: readonly string[], stdin: string | Uint8Array = ''): Promise<Outcome> {
  const told = { stdout: [] as string[], stderr: [] as string[] };
  const status = await run(words, {
    version: '1.2.3',
    stdin: async () => (typeof stdin === 'string' ? new TextEncoder().encode(stdin) : stdin),
    stdout: text => void told.stdout.push(text),
    stderr: text => void told.stderr.push(text),
    openEngine: async () => engine,
  });
  return { status, stdout: told.stdout.join(''), stderr: told.stderr.join('') };
}
