// npm run check:clock [-- --shrink]: time and randomness are injected (ARCHITECTURE.md).
import { readdirSync } from 'node:fs';
import { runCheck } from './allowance.ts';
import { findRawTime } from './clock-rule.ts';

const packages = readdirSync('packages').map(name => `packages/${name}`);
runCheck('raw time and randomness', 'clock', findRawTime('.', packages));
