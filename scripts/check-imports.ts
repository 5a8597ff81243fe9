import { findImportFaults } from './import-rules.ts';

const faults = findImportFaults('.');
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? 'imports: as drawn' : `imports: ${faults.length} against the rules`);
process.exitCode = faults.length === 0 ? 0 : 1;
