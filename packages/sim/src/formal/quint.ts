import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Trace, traceOf } from './trace.ts';

/** The model of recovery. */
export const MODEL = join(import.meta.dirname, '../../formal/recovery.qnt');
const PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve('@informalsystems/quint/package.json')),
  'dist/src/cli.js',
);
const INVARIANTS = ['O1', 'O2', 'O5', 'O7'];
/** A program that stands still is ended. */
const LONGEST_MS = 3_600_000;

/** How many runs of the model, how long, and from which seed. */
export interface ModelRuns {
  readonly samples: number;
  readonly steps: number;
  readonly seed: number;
}

/** What a program of Quint said. */
export interface Verdict {
  readonly passed: boolean;
  readonly output: string;
}

/** Whether names, types and effects of the model fit. */
export function typecheck(file: string = MODEL): Verdict {
  return quint(['typecheck', file]);
}

/** The invariants that runs of the model break: none, or those of the first run that breaks one. */
export function brokenInvariants(file: string, runs: ModelRuns): string[] {
  const { passed, output } = quint(['run', file, ...argumentsOf(runs), '--invariants', ...INVARIANTS]);
  const broken = INVARIANTS.filter(name => output.includes(`❌ ${name}`));
  if (passed !== (broken.length === 0)) throw new Error(`quint failed: ${output}`);
  return broken;
}

/** Runs of the model with the action and the choices of each step. */
export function traces(runs: ModelRuns): Trace[] {
  return inFolder(folder => {
    const out = ['--mbt', '--out-itf', join(folder, '{seq}.itf.json'), '--n-traces', String(runs.samples)];
    const { passed, output } = quint(['run', MODEL, ...argumentsOf(runs), ...out]);
    if (!passed) throw new Error(`quint failed: ${output}`);
    return readdirSync(folder).map(name => traceOf(readFileSync(join(folder, name), 'utf8')));
  });
}

/** Whether the model takes all runs of a module. */
export function accepts(module: string): Verdict {
  return inFolder(folder => {
    const file = join(folder, 'runs.qnt');
    copyFileSync(MODEL, join(folder, 'recovery.qnt'));
    writeFileSync(file, module);
    return quint(['test', file, '--backend', 'typescript', '--max-samples', '1', '--verbosity', '2']);
  });
}

/** Calls with a folder that is gone afterwards. */
export function inFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'msg-formal-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function argumentsOf({ samples, steps, seed }: ModelRuns): string[] {
  const numbers = ['--max-samples', String(samples), '--max-steps', String(steps), '--seed', String(seed)];
  return ['--main', 'recovery', '--backend', 'typescript', '--verbosity', '1', ...numbers];
}

function quint(args: readonly string[]): Verdict {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
    // What it might want to fetch has no place to be.
    env: { ...process.env, QUINT_HOME: '/dev/null' },
  });
  return { passed: status === 0, output: [stdout, stderr, error?.message ?? ''].join('\n').trim() };
}
