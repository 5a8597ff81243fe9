import { expect, it } from 'vitest';
import { lineOf } from './lines.ts';
import { missingGo } from './listeners.ts';
import { run } from './run.ts';
import { STRIKES } from './strikes.ts';

/** Fixed, so that a failing run can be repeated. The long form is `npm run outbox:kill`. */
const SEED = Number(process.env['MSG_OUTBOX_KILL_SEED'] ?? 33);
const KILLS = STRIKES.filter(strike => 'victim' in strike).length;

it('the proof has a Go client', () => {
  expect(missingGo()).toBeUndefined();
});

it(`${KILLS} kills, one at every step of a row, lose, invent, double and reorder nothing`, async () => {
  const outcome = await run({ seed: SEED, strikes: KILLS, transactions: 3_000 });
  console.log(lineOf(outcome));
  expect(outcome.faults).toEqual([]);
  // A moment that does not come is no proof of its step.
  expect(outcome.atPoints).toBeGreaterThan(KILLS / 2);
}, 900_000);
