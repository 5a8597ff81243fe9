// npm run check:time: time and randomness are injected (ARCHITECTURE.md).
import { readdirSync } from 'node:fs';
import { rawTimeOutside, timeSources, unneededHomes } from './time-rules.ts';

const files = timeSources(
  '.',
  readdirSync('packages').map(name => `packages/${name}`),
);
const faults = [
  ...rawTimeOutside(files).map(
    ({ key, text }) => `${text}: ${key}; take Clock or Random of @msg/foundation/clock`,
  ),
  ...unneededHomes(files),
];
for (const fault of faults) console.error(fault);
console.log(`raw time and randomness: ${faults.length === 0 ? 'nothing' : 'against the rules'}`);
if (faults.length > 0) process.exitCode = 1;
