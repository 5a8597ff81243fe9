// node scripts/check-codes.ts: codes come from the protocol's tables, and the sources have one dialect (ARCHITECTURE.md).
import { readdirSync } from 'node:fs';
import { findCodeLiterals } from './code-literals.ts';
import { findDialect } from './dialect.ts';

const packages = readdirSync('packages').map(name => `packages/${name}`);
const lines = [...findCodeLiterals('.', packages), ...findDialect('.', packages)];
for (const line of lines) console.error(line);
console.log(
  lines.length === 0 ? 'codes and dialect: as agreed' : `codes and dialect: ${lines.length} faults`,
);
process.exitCode = lines.length === 0 ? 0 : 1;
