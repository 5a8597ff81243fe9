// node --import <this file>: plants the bug that the environment names, and leaves everything else as it is.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { plant } from './plant.ts';

const name = process.env['MSG_SIM_MUTANT'];
if (name !== undefined && name !== '') {
  plant(name, new Map([['fs', fs]]));
  syncBuiltinESMExports(); // a script is read by the name that its reader imports
}
