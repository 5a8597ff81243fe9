#!/usr/bin/env node
// In the repository the sources run as they are (Node strips the types), so nothing can be stale;
// an installed package has no `src` and runs its built output.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

if (existsSync(new URL('../src/cli/main.ts', import.meta.url))) {
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier, { ...context, conditions: [...context.conditions, 'msg-source'] }),
  });
  const { main } = await import('../src/cli/main.ts');
  await main(process.argv);
} else {
  const { main } = await import('../dist/cli/main.js');
  await main(process.argv);
}
