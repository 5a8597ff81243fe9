import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inFolder } from './quint.ts';
import type { Difference } from './replay.ts';
import type { Trace } from './trace.ts';

/** What replay-main.ts is asked for; `mutant` is planted in the code before it is loaded. */
export type FormalRequest = { readonly mutant: string | undefined } & (
  | { readonly kind: 'replay'; readonly file: string }
  | { readonly kind: 'record'; readonly seed: number; readonly count: number; readonly steps: number }
);

/** A process that stands still is ended. */
const LONGEST_MS = 600_000;
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'plant-bug.ts')).href;
const PROGRAM = join(import.meta.dirname, 'replay-main.ts');

/** Replays traces of the model in the code; null: every state was that of the model. */
export function replayInProcess(
  traces: readonly Trace[],
  mutant?: string,
): ({ readonly trace: number } & Difference) | null {
  return inFolder(folder => {
    const file = join(folder, 'traces.json');
    writeFileSync(file, JSON.stringify(traces));
    const [difference] = lines({ kind: 'replay', file, mutant });
    return (difference ?? null) as ({ readonly trace: number } & Difference) | null; // of replay-main.ts
  });
}

/** Random runs of the code. */
export function recordInProcess(
  runs: { readonly seed: number; readonly count: number; readonly steps: number },
  mutant?: string,
): Trace[] {
  return lines({ kind: 'record', ...runs, mutant }) as Trace[]; // of replay-main.ts
}

function lines(request: FormalRequest): unknown[] {
  const args = [
    '--conditions=msg-source',
    '--disable-warning=ExperimentalWarning',
    `--import=${PRELOAD}`,
    PROGRAM,
    JSON.stringify(request),
  ];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`the process ended with ${status}: ${error?.message ?? stderr}`);
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
}
