import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SIM = join(import.meta.dirname, '../../..');
const ROOT = join(SIM, '../..');
const CONTRACT = join(import.meta.dirname, 'contract-process.ts');
const MODEL = join(ROOT, 'packages/engine/test/model/main.ts');
const IMPORTS = ['bin/strip-types.mjs', 'src/platform/plant-only.ts'].map(
  file => `--import=${pathToFileURL(join(SIM, file)).href}`,
);
/** Scenarios of the model that are played; it makes some thousands in a second. */
const MODEL_RUNS = 5000;
/** What the model prints before the members of a scenario. */
const SETUP = 'setup: ';
/** A program that stands still is ended. */
const LONGEST_MS = 600_000;

/** A scenario of the engine's model that breaks something, cut down to what is needed. */
export interface ModelFailure {
  readonly seed: number;
  readonly violation: string;
  /** Members of the scenario beside its seed and steps, as JSON. */
  readonly setup: string;
  /** Each an operation and how far things go on after it, as JSON. */
  readonly steps: readonly (readonly [operation: string, breath: string])[];
}

/** Cases of the broker's contract that the broker in memory does not keep, by name. */
export function brokenCases(mutant: string | undefined): readonly string[] {
  return outputOf(mutant, [CONTRACT]).split('\n').filter(Boolean);
}

/** What the engine's model finds; undefined: nothing in so many runs. */
export function modelFailure(mutant: string | undefined, runs = MODEL_RUNS): ModelFailure | undefined {
  return readModelFailure(outputOf(mutant, [MODEL, '--seed', '1', '--runs', String(runs)]));
}

/** Reads what the model's program prints of a failure. */
export function readModelFailure(output: string): ModelFailure | undefined {
  const lines = output.split('\n');
  const head = lines
    .map(line => /^run \d+ \(seed (?<seed>\d+)\): (?<violation>.*)$/.exec(line)?.groups)
    .find(Boolean);
  const setup = lines.find(line => line.startsWith(SETUP))?.slice(SETUP.length);
  if (head === undefined || setup === undefined) return undefined;
  const steps = lines.filter(line => line.startsWith('  {')).map(line => line.trim().split(' then '));
  return {
    seed: Number(head['seed']),
    violation: head['violation'] ?? '',
    setup,
    steps: steps.map(([operation = '', breath = '']) => [operation, breath]),
  };
}

/** What a program prints that runs with a planted bug. */
function outputOf(mutant: string | undefined, program: readonly string[]): string {
  const args = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', ...IMPORTS, ...program];
  const { stdout, stderr, error } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: LONGEST_MS,
    env: { ...process.env, MSG_SIM_MUTANT: mutant ?? '' },
  });
  if (error !== undefined) throw error;
  return stdout + stderr;
}
