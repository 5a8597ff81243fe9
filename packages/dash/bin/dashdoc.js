#!/usr/bin/env node
// In the repository the sources run as they are (Node strips the types), so nothing can be stale; an installed
// package has no `src` and runs its built output.
import { existsSync } from 'node:fs';

const inRepository = existsSync(new URL('../src/cli/main.ts', import.meta.url));
if (inRepository) {
  const { registerHooks } = await import('node:module');
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier, { ...context, conditions: [...context.conditions, 'msg-source'] }),
  });
}
const { main } = await import(inRepository ? '../src/cli/main.ts' : '../dist/cli/main.js');
await main(process.argv);
