import { registerHooks } from 'node:module';
import { MUTANTS } from '../mutants/mutants.ts';
import { REDIS_MUTANTS } from '../mutants/redis.ts';

/** Applies a planted bug to its file when that is loaded. Types are stripped before: the texts hold none. */
export function plant(name: string): void {
  const mutant = [...MUTANTS, ...REDIS_MUTANTS].find(candidate => candidate.name === name);
  if (mutant === undefined) throw new Error(`no mutant is named ${name}`);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${mutant.file}`)) return loaded;
      return { ...loaded, source: String(loaded.source).replace(mutant.text, () => mutant.replacement) };
    },
  });
}
