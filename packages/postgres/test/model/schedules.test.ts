import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHANNELS, type Flaws, ModelWorld } from '../support/model-world.ts';

/** MSG_OUTBOX_SCHEDULES=100000 runs ten times as many; MSG_OUTBOX_SEED replays a run. */
const SCHEDULES = Number(process.env['MSG_OUTBOX_SCHEDULES'] ?? 10_000);
const SEED = Number(process.env['MSG_OUTBOX_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));

/** A step of a schedule: what, and which. */
type Step = readonly [kind: keyof typeof STEPS, which: number];

const STEPS = {
  write: (world: ModelWorld, n: number) => world.write(n % 4 === 0 ? [n, n >> 2] : [n >> 2]),
  commit: (world: ModelWorld, n: number) => world.end(n, true),
  rollBack: (world: ModelWorld, n: number) => world.end(n, false),
  work: (world: ModelWorld, n: number) => world.work(n),
  deliver: (world: ModelWorld, n: number) => world.deliver(n),
  answer: (world: ModelWorld, n: number) => world.answer(n, false),
  loseAnswer: (world: ModelWorld, n: number) => world.answer(n, true),
  deliverLate: (world: ModelWorld, n: number) => world.deliverLate(n),
  crash: (world: ModelWorld, n: number) => world.crash(n),
  stop: (world: ModelWorld, n: number) => world.stop(n),
  resume: (world: ModelWorld, n: number) => world.resume(n),
  pass: (world: ModelWorld, n: number) => world.pass(100 + (n % 5) * 3_000),
  setClockBack: (world: ModelWorld) => world.setClockBack(),
  toggleOpen: (world: ModelWorld, n: number) => world.toggleOpen(n),
  toggleLimited: (world: ModelWorld, n: number) => world.toggleLimited(n),
};

/** How often each step is taken. */
const WEIGHTS: Readonly<Record<keyof typeof STEPS, number>> = {
  write: 6,
  commit: 6,
  rollBack: 1,
  work: 8,
  deliver: 8,
  answer: 7,
  loseAnswer: 2,
  deliverLate: 2,
  crash: 2,
  stop: 2,
  resume: 2,
  pass: 5,
  setClockBack: 1,
  toggleOpen: 4,
  toggleLimited: 2,
};

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.oneof(
    ...Object.entries(WEIGHTS).map(([kind, weight]) => ({
      weight,
      arbitrary: fc.constant(kind as keyof typeof STEPS), // a key of the record
    })),
  ),
  fc.nat(60),
);

async function run(schedule: readonly Step[], flaws: Flaws): Promise<ModelWorld> {
  const world = new ModelWorld(flaws);
  for (const [kind, which] of schedule) await STEPS[kind](world, which);
  await world.recover();
  return world;
}

/** What a listener sees that it must not; undefined: nothing. */
function brokenRule({ written, store, service }: ModelWorld): string | undefined {
  const dead = new Set(store.dead.map(({ id }) => id));
  // The others say themselves that they may have been published.
  const unpublished = new Set(store.dead.filter(({ code }) => code !== 'uncertain').map(({ id }) => id));
  for (const channel of CHANNELS) {
    const stream = service.stream(channel).map(Number);
    const committed = written.filter(row => row.channel === channel && row.committed !== undefined);
    const known = new Set(committed.map(({ id }) => id));
    if (new Set(stream).size < stream.length) return `doubled in ${channel}: ${stream}`;
    if (stream.some(id => !known.has(id))) return `phantom in ${channel}: ${stream}`;
    if (stream.some(id => unpublished.has(id)))
      return `dead and published in ${channel}: ${stream}, dead: ${[...unpublished]}`;
    const missing = [...known].filter(id => !stream.includes(id) && !dead.has(id));
    if (missing.length > 0) return `lost in ${channel}: ${missing}`;
    const commits = new Map(committed.map(({ id, committed: at = 0 }) => [id, at]));
    for (const [index, later] of stream.entries()) {
      const overtaken = stream
        .slice(index + 1)
        .find(id => id < later && (commits.get(id) ?? 0) <= (commits.get(later) ?? 0));
      if (overtaken !== undefined) return `out of order in ${channel}: ${overtaken} after ${later}`;
    }
  }
  return undefined;
}

const property = (flaws: Flaws) =>
  fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async schedule => {
    expect(brokenRule(await run(schedule, flaws))).toBeUndefined();
  });

describe('an outbox whose every step is decided by chance', () => {
  it(`loses, doubles and reorders nothing in ${SCHEDULES} schedules`, async () => {
    await fc.assert(property({}), { seed: SEED, numRuns: SCHEDULES });
  }, 600_000);

  it.each<[string, Flaws, RegExp]>([
    ['goes on behind a failed item', { goesOn: true }, /lost in/],
    ['gives a row a new version with each attempt', { newVersions: true }, /doubled in/],
    ['knows no leases', { noLeases: true }, /dead and published in|out of order in|doubled in|lost in/],
  ])(
    'is seen to fail when it %s',
    async (_, flaws, message) => {
      const details = await fc.check(property(flaws), { seed: 3, numRuns: 20_000, endOnFailure: true });
      expect(details.failed).toBe(true);
      expect(String(details.errorInstance)).toMatch(message);
    },
    600_000,
  );
});
