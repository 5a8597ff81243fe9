import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { resolveWith } from './team-pulse.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const GOLDEN = fileURLToPath(new URL('golden/', import.meta.url));

export const exampleNames = readdirSync(EXAMPLES).map(file => file.replace('.json', ''));
export const example = (name: string) => JSON.parse(readFileSync(`${EXAMPLES}${name}.json`, 'utf8'));
export const goldenNames = () => readdirSync(GOLDEN).map(file => file.replace('.json', ''));
export const golden = (name: string) => JSON.parse(readFileSync(`${GOLDEN}${name}.json`, 'utf8'));

/**
 * Writes the golden trees anew, after an intended change of the resolver or of an example:
 * `node --conditions=msg-source test/resolve/golden.ts && biome format --write test/resolve/golden`.
 */
if (import.meta.main) {
  for (const name of exampleNames) {
    writeFileSync(`${GOLDEN}${name}.json`, JSON.stringify(resolveWith(example(name))));
  }
}
