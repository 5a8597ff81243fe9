// node --import <this file>: everything that is loaded afterwards gets virtual time, seeded chance and no way out.
import { installGlobals } from './globals.ts';
import { substituteModules } from './hooks.ts';
import { substitutes } from './modules.ts';
import { plant } from './plant.ts';

// The argument of the program: a run with a planted bug names it.
const { mutant } = JSON.parse(process.argv[2] ?? '{}') as { readonly mutant?: string };
installGlobals();
const modules = substitutes();
substituteModules(modules);
if (mutant !== undefined) plant(mutant, modules);
