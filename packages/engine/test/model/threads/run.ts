import { Prng } from '../prng.ts';
import type { ModelThread } from './thread.ts';
import { CHANNELS, settled, THREADS, World } from './world.ts';

/** A run in which something happened that must not. */
export interface Failure {
  readonly seed: number;
  /** Which run it was, from 1. */
  readonly run: number;
  readonly violation: string;
}

/** What many runs made happen. */
export class Tally {
  runs = 0;
  publications = 0;
  received = 0;
  gaps = 0;
  deaths = 0;
  positions = 0;

  toString(): string {
    return Object.entries(this)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  }
}

const LENGTHS = [10, 10, 200, 900, 1500, 1900, 3000, 12_000];

/** Plays the run of one seed; answers what went wrong, or null. */
export async function play(seed: number, tally: Tally, changesLate = false): Promise<string | null> {
  const prng = new Prng(seed);
  const world = new World(prng, changesLate);
  try {
    await settled();
    const steps = prng.between(15, 60);
    for (; world.step < steps && world.violation === null; world.step++) await step(world, prng);
    world.step++;
    await world.calm();
  } catch (error) {
    world.report(`thrown: ${error instanceof Error ? error.stack : error}`);
  }
  world.close();
  tally.runs++;
  tally.received += world.received;
  tally.gaps += world.gaps;
  tally.positions += world.positions;
  tally.deaths += world.deaths - THREADS; // all end in the end
  for (const name of CHANNELS) tally.publications += world.truth(name).top;
  return world.violation;
}

async function step(world: World, prng: Prng): Promise<void> {
  const loops = [world.main, ...world.threads.flatMap(thread => thread?.loop ?? [])];
  const thread = world.threads[prng.below(THREADS)];
  const channel = prng.pick(CHANNELS);
  const lot = prng.below(100);
  if (thread !== undefined) act(world, prng, thread, channel, lot);
  if (lot >= 72 && lot < 86) {
    for (let i = prng.below(prng.pick([2, 2, 12])); i >= 0; i--)
      world.publishOnMain(channel, prng.pick(LENGTHS), prng.chance(50));
  } else if (lot >= 86 && lot < 88) world.trim(channel);
  else if (lot >= 88 && lot < 91) prng.pick(loops).stalledTurns = prng.between(1, 30);
  else if (lot >= 91 && lot < 93) world.kill(prng.below(THREADS));
  else if (lot >= 93 && lot < 95) world.advance(prng.pick([50, 250, 1000]));
  await settled();
  for (let turns = prng.below(4); turns > 0; turns--) {
    // In any order, and not each of them every time.
    for (const loop of loops) if (prng.chance(70)) loop.turn();
    await settled();
  }
}

/** What a thread does: nothing waits for it. */
function act(world: World, prng: Prng, thread: ModelThread, channel: string, lot: number): void {
  if (lot < 24) void thread.toggle(channel);
  else if (lot < 46) void thread.publish(channel, world.text(prng.pick(LENGTHS)), prng.chance(50));
  else if (lot < 54) void thread.read(channel, { limit: prng.pick([-1, -1, 3, 0]) });
  else if (lot < 58) {
    const offset = Math.max(0, world.truth(channel).top - prng.below(6));
    void thread.read(channel, { limit: -1, since: { offset, epoch: '' } });
  } else if (lot < 62) void thread.joinOrLeave(channel, prng.chance(60));
  else if (lot < 66) void thread.change();
  else if (lot < 72) void thread.look(world.versions);
}

/** Plays the seeds from `seed` on and stops at the first that fails. */
export async function findFailing(
  seed: number,
  runs: number,
  tally = new Tally(),
  changesLate = false,
  played: () => void = () => {},
): Promise<Failure | null> {
  for (let run = 1; run <= runs; run++) {
    const violation = await play(seed + run - 1, tally, changesLate);
    if (violation !== null) return { seed: seed + run - 1, run, violation };
    played();
  }
  return null;
}
