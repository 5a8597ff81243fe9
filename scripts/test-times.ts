// npm run test:times [-- <arguments of vitest run>]: runs tests and prints their files by time, with the seconds of CPUs
// that each used and the processes that it started (those that are waited for synchronously are not counted). A file
// whose CPU time is far below its time waits: others can run beside it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** The part of vitest's JSON report that is read; times are milliseconds. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly unknown[];
  }[];
}

interface Started {
  readonly file: string;
  readonly started: number;
  /** Seconds of CPUs, of the processes included that have ended. */
  readonly cpu: number;
}

/** One line per file, the longest first, and a sum. `root` is taken from the paths. */
export function timeTable(root: string, { testResults }: Report, started: readonly Started[]): string[] {
  const used = new Map(started.map(row => [row.file, row]));
  const rows = testResults
    .map(({ name, startTime, endTime, assertionResults }) => ({
      file: relative(root, name),
      seconds: (endTime - startTime) / 1000,
      cases: assertionResults.length,
      processes: used.get(name)?.started ?? 0,
      cpu: used.get(name)?.cpu ?? 0,
    }))
    .sort((a, b) => b.seconds - a.seconds);
  const line = (seconds: number, cpu: number, count: number, cases: number, what: string): string =>
    `${seconds.toFixed(1).padStart(8)} s ${cpu.toFixed(1).padStart(8)} s of CPU ${String(count).padStart(6)} processes ${String(cases).padStart(6)} cases  ${what}`;
  const sum = (of: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((all, row) => all + of(row), 0);
  return [
    ...rows.map(row => line(row.seconds, row.cpu, row.processes, row.cases, row.file)),
    line(
      sum(row => row.seconds),
      sum(row => row.cpu),
      sum(row => row.processes),
      sum(row => row.cases),
      `in ${rows.length} files`,
    ),
  ];
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'test-times-'));
  const [report, list] = [join(folder, 'report.json'), join(folder, 'processes.jsonl')];
  const env = { ...process.env, MSG_TEST_REPORT: report, MSG_TEST_PROCESSES: list };
  const { status } = spawnSync('vitest', ['run', ...process.argv.slice(2)], { stdio: ['ignore', 2, 2], env });
  const started = readFileSync(list, 'utf8').trimEnd().split('\n');
  const rows = started.map(line => JSON.parse(line) as Started);
  for (const line of timeTable(process.cwd(), JSON.parse(readFileSync(report, 'utf8')) as Report, rows))
    console.log(line);
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = status ?? 1;
}
