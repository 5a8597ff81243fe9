// State from the database and changes from the stream: docs/state-that-fits.md.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random, SEED } from '../../../protocol/test/support/random.ts';
import { type ReaderOrder, type Reading, StateWorld } from '../support/state-world.ts';

/** `npm run outbox:state` takes 100,000 writes and 1,000 readers. MSG_SEED draws the same steps again. */
const WRITES = Number(process.env['MSG_STATE_WRITES'] ?? 1_500);
const READERS = Number(process.env['MSG_STATE_READERS'] ?? 80);
const AT_ONCE = 8;
const TEST_MS = 60_000 + 20 * WRITES;

let world: StateWorld;
beforeAll(async () => {
  world = await StateWorld.start();
}, 120_000);
afterAll(() => world.stop());

/** Readers of both orders, one of five in the wrong one, spread over the time of the writes. */
async function readAll(): Promise<Readonly<Record<ReaderOrder, readonly Reading[]>>> {
  const readings: Record<ReaderOrder, Reading[]> = { 'position first': [], 'state first': [] };
  const all = Math.ceil(READERS / 4) * 5;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < all) {
      const index = next++;
      await world.written((WRITES * 0.85 * index) / all);
      const order = index % 5 === 0 ? 'state first' : 'position first';
      readings[order].push(await world.read(order, new Random(SEED + 1 + index)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return readings;
}

it(
  `no reader misses a change when the position comes first, seed ${SEED}`,
  async () => {
    const [readings] = await Promise.all([readAll(), world.write(WRITES, new Random(SEED))]);
    const missing = (order: ReaderOrder) =>
      readings[order].map(reading => world.missed(reading)).filter(({ length }) => length > 0);
    const [wrong, right] = [missing('state first'), missing('position first')];
    console.log(
      `seed ${SEED}: ${world.writes} transactions, ${world.published.length} publications; position first: ` +
        `${right.length} of ${readings['position first'].length} readers missed a change; state first: ` +
        `${wrong.length} of ${readings['state first'].length}`,
    );
    expect(right).toEqual([]);
    expect(wrong.length, 'readers in the wrong order that missed a change').toBeGreaterThan(0);
    expect(world.missed({ offset: Infinity, known: await world.rows() })).toEqual([]);
  },
  TEST_MS,
);
