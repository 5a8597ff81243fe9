import { registerHooks } from 'node:module';
import type { PlantedText } from '../mutants/mutant.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import { REDIS_MUTANTS } from '../mutants/redis.ts';

/**
 * Applies a planted bug to its file when that is loaded, or read by the service if it is a script. Types are stripped before:
 * the texts hold none.
 * @param modules the substitutes of modules of Node.js; reading a script goes through them
 */
export function plant(name: string, modules: ReadonlyMap<string, object>): void {
  const mutant = [...MUTANTS, ...REDIS_MUTANTS].find(candidate => candidate.name === name);
  if (mutant === undefined) throw new Error(`no mutant is named ${name}`);
  if (mutant.file.endsWith('.lua')) plantIntoScript(mutant, modules.get('fs'));
  else plantIntoModule(mutant);
}

function plantIntoModule(mutant: PlantedText): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${mutant.file}`)) return loaded;
      return { ...loaded, source: planted(mutant, String(loaded.source)) };
    },
  });
}

type Read = (file: unknown, options: unknown) => unknown;

function plantIntoScript(mutant: PlantedText, fs: object = {}): void {
  const members = fs as { readFileSync: Read };
  const read = members.readFileSync;
  members.readFileSync = (file, options) => {
    const content = read(file, options);
    return String(file).endsWith(`/${mutant.file}`) ? planted(mutant, String(content)) : content;
  };
}

/** @throws Error for a stale mutant: a run that plays without its bug would say that the bug survives. */
function planted({ name, file, text, replacement }: PlantedText, source: string): string {
  const count = source.split(text).length - 1;
  if (count !== 1) throw new Error(`mutant ${name} is stale: its text is in ${file} ${count} times`);
  return source.replace(text, () => replacement);
}
