import { expect, it } from 'vitest';
import { lineOf } from './lines.ts';
import { ENOUGH_RESUMED, siege } from './siege.ts';

/** Fixed, so that a failing run can be repeated. The long form is `npm run jobs:siege`. */
const SEED = Number(process.env['MSG_JOBS_SIEGE_SEED'] ?? 28);

it('nodes are killed while jobs, replays, edits and discards run: no letter arrives twice, and none is lost', async () => {
  const outcome = await siege({ seed: SEED, kills: 3, letters: 240 });
  console.log(lineOf(outcome));
  expect(outcome.faults).toEqual([]);
  // Otherwise it proves nothing.
  expect(outcome.taken).toBeGreaterThan(100);
  expect(outcome.resumed).toBeGreaterThanOrEqual(ENOUGH_RESUMED);
  expect(Object.values(outcome.acts).filter(count => count > 0).length).toBeGreaterThan(4);
}, 300_000);
