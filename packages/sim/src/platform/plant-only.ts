// node --import <this file>: plants the bug that the environment names, and leaves everything else as it is.
import { plant } from './plant.ts';

const name = process.env['MSG_SIM_MUTANT'];
if (name !== undefined && name !== '') plant(name);
