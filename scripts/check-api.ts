// npm run check:api [-- --write]: the API reports of the package entries, below api/, are what the compiler says.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiReports } from './api-reports.ts';
import { reportFaults } from './report-faults.ts';

const reports = apiReports('.');
mkdirSync('api', { recursive: true });
const committed = new Map(
  readdirSync('api')
    .filter(name => name.endsWith('.txt'))
    .map(name => [join('api', name), readFileSync(join('api', name), 'utf8')]),
);
if (process.argv.includes('--write')) {
  for (const path of committed.keys()) rmSync(path);
  for (const [path, text] of reports) writeFileSync(path, text);
} else {
  const faults = reportFaults(committed, reports);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0)
    console.error('Run `npm run check:api -- --write` and commit api/ when this is meant.');
  console.log(faults.length === 0 ? 'API: as api/ says' : `API: ${faults.length} names differ from api/`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
