// node scripts/ci-budget.ts <file>: what each row of the CI budget took, from the lines `<stage> <seconds>` that
// `.ci/run` writes, and the rows that are more than a fifth above their minutes. Nothing fails by time.
import { readFileSync } from 'node:fs';

/** A row of the budget: minutes on two cores that do nothing else. */
export interface BudgetRow {
  readonly name: string;
  readonly minutes: number;
  /** What the minutes are for, now or later. */
  readonly holds: string;
  /** Stages of `.ci/run` that are paid from it. */
  readonly stages: readonly string[];
}

/** The one table. Minutes of a row whose work does not exist yet stay unused. */
export const BUDGET: readonly BudgetRow[] = [
  { name: 'install', minutes: 1, holds: 'npm ci', stages: ['install'] },
  {
    name: 'checks',
    minutes: 2,
    holds:
      'lint, types, imports, injected time, words, API reports, unused exports, packages, what users hold on to',
    stages: ['lint', 'types', 'imports', 'time', 'words', 'api', 'unused', 'packages', 'outside'],
  },
  {
    name: 'build, site',
    minutes: 3,
    holds: 'packages, documentation, each built page in Chromium',
    stages: ['build', 'site'],
  },
  {
    name: 'npm test',
    minutes: 5,
    holds: 'the unit lane, and black box in memory and on one Redis',
    stages: ['test'],
  },
  {
    name: 'test:long',
    minutes: 7,
    holds:
      'stock versions × transports × encodings, clusters and faults, fuzz, model, crash sieges, languages of the generator, ' +
      'runbooks, one run of the client suites on a store',
    stages: ['long', 'inventory', 'standalone'],
  },
  { name: 'pages', minutes: 5, holds: 'journeys through pages in one Chromium', stages: ['pages'] },
  {
    name: 'conformance',
    minutes: 5,
    holds: 'suites and releases of other clients, SDKs of backends',
    stages: ['conformance'],
  },
  {
    name: 'matrix',
    minutes: 3,
    holds: 'the unit lane of the built packages on other versions of Node.js',
    stages: ['matrix'],
  },
  {
    name: 'proofs',
    minutes: 7,
    holds:
      'simulations, the model over links, the outbox and jobs under kills, faults of threads and of Redis, hostile peers',
    stages: ['proofs', 'hostile', 'sim'],
  },
  { name: 'bench', minutes: 2, holds: 'small sizes of the benches against their bars', stages: ['bench'] },
];

/** Part of a row's minutes above which it is named. */
const TOLERATED = 1.2;

/** One line per row, a sum, and the rows that are above their minutes. */
export function budgetReport(times: ReadonlyMap<string, number>): string[] {
  const lines: string[] = [];
  const above: string[] = [];
  const minutesOf = (seconds: number): string => (seconds / 60).toFixed(1);
  for (const { name, minutes, stages } of BUDGET) {
    const spent = stages.map(stage => [stage, times.get(stage) ?? 0] as const);
    const seconds = spent.reduce((sum, [, time]) => sum + time, 0);
    const parts =
      spent.length > 1 ? ` (${spent.map(([stage, time]) => `${stage} ${time} s`).join(', ')})` : '';
    lines.push(`${name.padEnd(12)} ${minutesOf(seconds).padStart(5)} of ${minutes} min${parts}`);
    if (seconds > TOLERATED * minutes * 60)
      above.push(`${name} took ${minutesOf(seconds)} of ${minutes} min`);
  }
  const all = BUDGET.reduce((sum, { minutes }) => sum + minutes, 0);
  const total = [...times.values()].reduce((sum, seconds) => sum + seconds, 0);
  lines.push(`${'all'.padEnd(12)} ${minutesOf(total).padStart(5)} of ${all} min`);
  for (const line of above) lines.push(`more than a fifth above the budget: ${line}`);
  return lines;
}

/** Reads lines of `<stage> <seconds>`. */
export function readTimes(text: string): ReadonlyMap<string, number> {
  const rows = text.split('\n').map(line => line.split(' '));
  return new Map(
    rows.flatMap(([stage = '', seconds]) => (seconds ? [[stage, Number(seconds)] as const] : [])),
  );
}

if (import.meta.main) {
  for (const line of budgetReport(readTimes(readFileSync(process.argv[2] ?? '', 'utf8')))) console.log(line);
}
