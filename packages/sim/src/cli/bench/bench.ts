import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defined } from '@msg/foundation/json';
import { EXIT, type Print } from '../exit.ts';
import type { PlayedRun } from '../request.ts';
import { playInProcess } from '../run-process.ts';
import { type Baselines, BENCH_CLASSES, type BenchClass, linesOf, sumsOf } from './rows.ts';

const SIM = join(import.meta.dirname, '../../..');
const MODEL = join(SIM, '../engine/test/model/main.ts');
const CPU_TIME = pathToFileURL(join(SIM, 'bin/cpu-time.mjs')).href;
/** Scenarios of the model, and seeds of the kernel alone: some core seconds each. */
const MODEL_RUNS = 5000;
const KERNEL_SEEDS = 100;

/** Measures how fast each class is played, beside the kernel alone and the engine's model. */
export function bench(seeds: number, world: string | undefined, print: Print): number {
  const baselines = baselinesNow();
  print(`the kernel alone: ${Math.round(baselines.kernelEvents)} empty events in a core second`);
  print(`the engine's model: ${Math.round(baselines.modelDeliveries)} deliveries in a core second`);
  const rows = BENCH_CLASSES.filter(row => row.world === (world ?? row.world));
  return Math.max(EXIT.clean, ...rows.map(row => measured(row, seeds, baselines, print)));
}

function measured(row: BenchClass, seeds: number, baselines: Baselines, print: Print): number {
  const runs = played(row, seeds, false);
  const plain = played(row, seeds, true);
  for (const line of linesOf(row, runs, plain, baselines)) print(line);
  const broken = runs.filter(({ violations, fault }) => violations.length > 0 || fault !== undefined);
  for (const { seed, violations, fault } of broken)
    print(`  seed ${seed}: ${fault ?? violations.map(({ oracle }) => oracle).join(' ')}`);
  if (broken.some(({ fault }) => fault !== undefined)) return EXIT.simulator;
  return broken.length > 0 ? EXIT.violation : EXIT.clean;
}

/** One process for all seeds, as a worker of a campaign. */
function played({ world, hours, store }: BenchClass, count: number, isPlain: boolean): readonly PlayedRun[] {
  const seeds = Array.from({ length: count }, (_, i) => i + 1);
  const plan = defined({ hours, switches: store === undefined ? undefined : { store } });
  return playInProcess({ world, seeds, guard: false, plan, isPlain }, ['--expose-gc']);
}

/** @throws if the model prints no figures */
function baselinesNow(): Baselines {
  const { events, coreS } = sumsOf(played({ name: 'kernel', world: 'bare' }, KERNEL_SEEDS, true));
  const args = [
    '--conditions=msg-source',
    `--import=${CPU_TIME}`,
    MODEL,
    '--seed',
    '1',
    '--runs',
    `${MODEL_RUNS}`,
  ];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const deliveries = /(\d+) deliveries/.exec(stdout)?.[1];
  const cpuMs = /cpu (\d+) ms/.exec(stdout)?.[1];
  if (deliveries === undefined || cpuMs === undefined)
    throw new Error(`the model prints no figures: ${stdout}`);
  return { kernelEvents: events / coreS, modelDeliveries: Number(deliveries) / (Number(cpuMs) / 1000) };
}
