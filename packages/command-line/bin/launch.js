// Old versions of Node.js run this file too: it uses no syntax that they lack, and loads the program only after the
// version is checked.
import { existsSync } from 'node:fs';

/** The oldest version that the packages run on, and the oldest that runs their sources: it strips types by itself. */
const NEEDED = { minor: 12, from: '' };
const NEEDED_BY_SOURCES = { minor: 18, from: ' to run from its sources' };

/**
 * Starts a program: `main` of the package that `bin` belongs to. In the repository the sources run as they are, so
 * nothing can be stale; an installed package has no `src` and runs its built output.
 * @param {string} name of the program
 * @param {string} bin address of the file in the package's `bin` that calls this
 * @param {string} prefix what stands before the program's errors
 */
export async function launch(name, bin, prefix) {
  const isSource = existsSync(new URL('../src/cli/main.ts', bin));
  const { minor, from } = isSource ? NEEDED_BY_SOURCES : NEEDED;
  const running = process.versions.node.split('.').map(Number);
  if (running[0] < 22 || (running[0] === 22 && running[1] < minor)) {
    const found = `this is ${process.version} (${process.execPath})`;
    process.stderr.write(`${prefix}${name} needs Node 22.${minor} or newer${from}; ${found}\n`);
    process.exitCode = 1;
    return;
  }
  if (isSource) {
    const { registerHooks } = await import('node:module');
    // Where the packages of the repository are does not depend on who imports them.
    const packages = new Map();
    registerHooks({
      resolve(specifier, context, nextResolve) {
        // A source names another one by its path: there is nothing to look for.
        if (specifier.startsWith('.') && specifier.endsWith('.ts'))
          return {
            url: new URL(specifier, context.parentURL).href,
            format: 'module-typescript',
            shortCircuit: true,
          };
        if (packages.has(specifier)) return packages.get(specifier);
        const conditions = [...context.conditions, 'msg-source'];
        const found = nextResolve(specifier, { ...context, conditions });
        if (specifier.startsWith('@msg/')) packages.set(specifier, { ...found, shortCircuit: true });
        return found;
      },
    });
  }
  const { main } = await import(new URL(isSource ? '../src/cli/main.ts' : '../dist/cli/main.js', bin).href);
  await main(process.argv);
}
