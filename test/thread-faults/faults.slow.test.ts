// Stock clients in three languages hear every publication once while threads of the service end and stall.
import { expect, test } from 'vitest';
import { ACTS, inOrderOf } from './acts.ts';
import { LANGUAGES } from './hearers.ts';
import { play } from './play.ts';
import { lineOf } from './verdict.ts';

/** Fixed, so that a failing run can be repeated. The long form is `npm run threads:faults`. */
const SEED = Number(process.env['MSG_SEED'] ?? 31);

test('stock clients lose nothing and recover while threads end and stall', async () => {
  const acts = inOrderOf(
    SEED,
    ACTS.filter(({ isLong }) => isLong !== true),
  );
  const languages = LANGUAGES.filter(language => language.missing() === undefined);
  const outcomes = await play({
    threads: 2,
    acts,
    languages,
    perSecond: 550,
    onOutcome: outcome => console.log(lineOf(outcome)),
  });
  expect(outcomes.flatMap(({ act, problems }) => problems.map(problem => `${act}: ${problem}`))).toEqual([]);
  expect(outcomes.map(({ act }) => act)).toEqual(acts.map(({ name }) => name));
  // Otherwise nobody saw joins and leaves, or counters.
  expect(outcomes.some(({ witnesses }) => witnesses > 0)).toBe(true);
  expect(outcomes.some(({ scrapes }) => scrapes > 0)).toBe(true);
}, 600_000);
