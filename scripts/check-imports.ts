// npm run check:imports: packages, rooms and cycles are as drawn, and no file is too long.
import { findLengthFaults } from './file-lengths.ts';
import { findImportFaults, ROOMS } from './import-rules.ts';
import { roomFaults, unusedEdges } from './room-rules.ts';
import { ROOMS_AS_BUILT } from './rooms-as-built.ts';
import { readSources } from './source-imports.ts';
import { cycleFaults, roomCycleFaults } from './type-cycles.ts';

const files = readSources('.');
const faults = [
  ...findImportFaults('.'),
  ...files.flatMap(file => roomFaults(file, ROOMS_AS_BUILT)),
  ...unusedEdges(files, ROOMS_AS_BUILT),
  ...cycleFaults(files),
  ...findLengthFaults('.'),
  ...roomCycleFaults({ ...ROOMS, ...ROOMS_AS_BUILT }),
];
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? 'imports: as drawn' : `imports: ${faults.length} against the rules`);
process.exitCode = faults.length === 0 ? 0 : 1;
