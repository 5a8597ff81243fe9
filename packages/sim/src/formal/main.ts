// npm run sim:formal [-- --seed <n>] [--samples <n>] [--traces <n>] [--runs <n>]: the formal model in its long form. Random runs
// of the model keep its invariants; traces of it are replayed in the code; runs of the code are taken by the model.
import { parseArgs } from 'node:util';
import { recordInProcess, replayInProcess } from './processes.ts';
import { accepts, brokenInvariants, MODEL, traces } from './quint.ts';
import { moduleOf } from './record.ts';

/** At a time: Quint holds all of them in memory. */
const BATCH = 50;
const STEPS = 40;
const USAGE = 'usage: sim:formal [-- --seed <n>] [--samples <n>] [--traces <n>] [--runs <n>]';
const DEFAULTS = { seed: '1', samples: '5000', traces: '500', runs: '200' };

const asked = argumentsOf(process.argv.slice(2));
console.log(`seed ${asked.seed}`);

const broken = brokenInvariants(MODEL, { samples: asked.samples, steps: STEPS, seed: asked.seed });
if (broken.length > 0) fail(asked.seed, `the model breaks ${broken.join(', ')}`);
console.log(`${asked.samples} runs of the model keep their promises`);

for (const { seed, count } of batches(asked.traces)) {
  const difference = replayInProcess(traces({ samples: count, steps: STEPS, seed }));
  if (difference !== null) fail(seed, JSON.stringify(difference, null, 2));
}
console.log(`${asked.traces} traces of the model replayed in the code`);

for (const { seed, count } of batches(asked.runs)) {
  const { passed, output } = accepts(moduleOf(recordInProcess({ seed, count, steps: STEPS })));
  if (!passed) fail(seed, output);
}
console.log(`${asked.runs} runs of the code taken by the model`);

function argumentsOf(args: string[]): Record<keyof typeof DEFAULTS, number> {
  const whole = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      args,
      options: { seed: whole, samples: whole, traces: whole, runs: whole },
    });
    const { seed, samples, traces: replays, runs } = { ...DEFAULTS, ...values };
    return { seed: count(seed), samples: count(samples), traces: count(replays), runs: count(runs) };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(2);
  }
}

function count(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new Error(`a whole number of at least 1 is expected; got ${JSON.stringify(text)}`);
}

/** Sizes that add up to the total, each with a seed of its own. */
function batches(total: number): { readonly seed: number; readonly count: number }[] {
  return Array.from({ length: Math.ceil(total / BATCH) }, (_, i) => ({
    seed: asked.seed + i * BATCH,
    count: Math.min(BATCH, total - i * BATCH),
  }));
}

function fail(seed: number, what: string): never {
  console.log(`seed ${seed}: ${what}`);
  process.exit(1);
}
