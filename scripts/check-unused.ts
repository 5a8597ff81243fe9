// npm run check:unused [-- --shrink]: every import is declared, every dependency and export is used (knip).
import { runCheck } from './allowance.ts';
import { findUnused } from './unused.ts';

runCheck('unused or undeclared', 'unused', findUnused('.'));
