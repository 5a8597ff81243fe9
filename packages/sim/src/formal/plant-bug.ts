// node --import <this file> replay-main.ts <request>: plants the bug of the request in what is loaded afterwards.
import { registerHooks } from 'node:module';
import { changed, mutantNamed } from './mutants.ts';

const { mutant } = JSON.parse(process.argv[2] ?? '{}') as { readonly mutant?: string }; // of processes.ts
const bug = mutant === undefined ? undefined : mutantNamed(mutant).code;
if (bug !== undefined)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/${bug.file}`)) return loaded;
      return { ...loaded, source: changed(String(loaded.source), [[bug.text, bug.replacement]]) };
    },
  });
