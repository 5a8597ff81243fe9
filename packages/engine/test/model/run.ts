import type { NodeStats } from '@msg/engine';
import { perform } from './perform.ts';
import { type Scenario, type Step, scenarioOf } from './scenario.ts';
import { turn, World } from './world.ts';

/** A run in which something happened that must not. */
export interface Failure {
  /** Which run it was, from 1. */
  readonly run: number;
  /** What happened. */
  readonly violation: string;
  /** The run, cut down to what is needed where that was asked for. */
  readonly scenario: Scenario;
}

/** What became of one run. */
export interface Outcome {
  /** What went wrong, or null. */
  readonly violation: string | null;
  /** The node's own counters at the end: what the run made happen, and a fingerprint of it. */
  readonly stats: NodeStats;
}

/** Plays one scenario. */
export async function play(scenario: Scenario): Promise<Outcome> {
  const world = new World(scenario);
  await world.node.start();
  try {
    await playSteps(world, scenario.steps);
    if (world.violation === null && scenario.ending !== 'goodbye amid the storm') await world.calm();
    if (world.violation === null && scenario.ending !== 'calm, then shutdown') await world.goodbye();
  } catch (error) {
    world.report(`thrown: ${error instanceof Error ? error.stack : String(error)}`);
  }
  await world.shutdown();
  return { violation: world.violation, stats: world.node.stats() };
}

async function playSteps(world: World, steps: readonly Step[]): Promise<void> {
  for (const [serial, { operation, breath }] of steps.entries()) {
    for (const client of world.clients) client.react();
    await perform(world, operation, serial + 1);
    for (let i = 0; i < breath.microtasks; i++) await null;
    for (let i = 0; i < breath.turns; i++) await turn();
    if (world.violation !== null) return;
  }
}

/** What many runs made happen. */
export class Tally {
  runs = 0;
  deliveries = 0;
  recovered = 0;
  unrecovered = 0;
  interruptions = 0;
  slowConsumers = 0;

  add({ deliveries, recovered, unrecovered, insufficientStates, slowConsumers }: NodeStats): void {
    this.runs++;
    this.deliveries += deliveries;
    this.recovered += recovered;
    this.unrecovered += unrecovered;
    this.interruptions += insufficientStates;
    this.slowConsumers += slowConsumers;
  }

  toString(): string {
    return Object.entries(this)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  }
}

/** Plays the scenarios of the seeds from `seed` on and stops at the first that fails, cut down to what is needed. */
export async function playMany(
  seed: number,
  runs: number,
  played: (stats: NodeStats) => void = () => {},
): Promise<Failure | null> {
  const failing = await findFailing(seed, runs, played);
  return failing === null ? null : shrink(failing.scenario, failing.run);
}

/** The first scenario that fails, as it is. */
export async function findFailing(
  seed: number,
  runs: number,
  played: (stats: NodeStats) => void = () => {},
): Promise<Failure | null> {
  for (let run = 1; run <= runs; run++) {
    const scenario = scenarioOf(seed + run - 1);
    const { violation, stats } = await play(scenario);
    if (violation !== null) return { run, scenario, violation };
    played(stats);
  }
  return null;
}

/** Leaves out steps, many at first and then one by one, as long as something still goes wrong. */
async function shrink(failing: Scenario, run: number): Promise<Failure> {
  let scenario = failing;
  for (let length = failing.steps.length >> 1; length > 0; length >>= 1) {
    for (let from = 0; from < scenario.steps.length; ) {
      const steps = scenario.steps.toSpliced(from, length);
      const candidate = { ...scenario, steps };
      const { violation } = await play(candidate);
      if (violation === null) from += length;
      else scenario = candidate;
    }
  }
  const { violation } = await play(scenario);
  return { run, scenario, violation: violation ?? 'it does not happen again' };
}

/** Everything that is needed to see a failure again. */
export function describeFailure({ run, violation, scenario }: Failure): string {
  const { seed, steps, ...setup } = scenario;
  return [
    `run ${run} (seed ${seed}): ${violation}`,
    `replay: MODEL_SEED=${seed} MODEL_RUNS=1 npx vitest run packages/engine/test/model`,
    `setup: ${JSON.stringify(setup)}`,
    `steps, of ${scenarioOf(seed).steps.length}:`,
    ...steps.map(({ operation, breath }) => `  ${JSON.stringify(operation)} then ${JSON.stringify(breath)}`),
  ].join('\n');
}
