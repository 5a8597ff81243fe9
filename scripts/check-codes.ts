// node scripts/check-codes.ts: disconnect and unsubscribe codes come from the protocol's tables (ARCHITECTURE.md).
import { readdirSync } from 'node:fs';
import { findCodeLiterals } from './code-literals.ts';

const packages = readdirSync('packages').map(name => `packages/${name}`);
const lines = findCodeLiterals('.', packages);
for (const line of lines) console.error(line);
console.log(lines.length === 0 ? 'codes: from the tables' : `codes: ${lines.length} written as numbers`);
process.exitCode = lines.length === 0 ? 0 : 1;
