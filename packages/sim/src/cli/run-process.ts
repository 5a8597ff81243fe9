import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PlayedRun, PlayRequest } from './request.ts';

/** Longest time of a process without an end; a run that stands still is ended. */
const LONGEST_MS = 600_000;
/** Of a class whose runs last weeks. */
const LONGEST_OF_WEEKS_MS = 14_400_000;
const HERE = join(import.meta.dirname, '../..');
const STRIP_TYPES = pathToFileURL(join(HERE, 'bin/strip-types.mjs')).href;
const PRELOAD = pathToFileURL(join(HERE, 'src/platform/preload.ts')).href;
/** Options of a process that plays. */
export const PLATFORM: readonly string[] = [
  '--conditions=msg-source',
  '--disable-warning=ExperimentalWarning',
  `--import=${STRIP_TYPES}`,
  `--import=${PRELOAD}`,
];
const PLAY = join(HERE, 'src/cli/play.ts');

/** Plays seeds in a process of its own, where modules are loaded by Node.js itself. */
export function playInProcess(request: PlayRequest, nodeOptions: readonly string[] = []): PlayedRun[] {
  const args = [...nodeOptions, ...PLATFORM, PLAY, JSON.stringify(request)];
  const { stdout, stderr, error, signal } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: request.world === 'long' ? LONGEST_OF_WEEKS_MS : LONGEST_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
  });
  const runs = stdout
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as PlayedRun); // of play.ts
  const missing = request.seeds[runs.length];
  if (missing === undefined) return runs;
  const reason = error?.message ?? signal ?? (stderr.trim() || 'no reason given');
  return [...runs, lostRun(missing, `the process of the run ended: ${reason}`)];
}

function lostRun(seed: number, fault: string): PlayedRun {
  const plan = { steps: [], clients: [], channels: [], endMs: 0 };
  const nothing = { hash: '', events: 0, virtualMs: 0, cpuMs: 0, counts: {}, codes: {}, violations: [] };
  return { seed, ...nothing, plan, fault };
}
