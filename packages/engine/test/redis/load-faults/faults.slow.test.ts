import { describe, expect, it } from 'vitest';
import { run } from './run.ts';
import { SCENARIOS } from './scenarios.ts';
import { problems, summary } from './verdict.ts';

/** Fixed, so that a failing run can be repeated. The long form is `npm run faults`. */
const SEED = Number(process.env['MSG_FAULTS_SEED'] ?? 9);
const FAULT_MS = 300_000;
/** Faults at the same time, each with stores and nodes of its own. */
const ABREAST = 3;

const acts = Array.from({ length: Math.ceil(SCENARIOS.length / ABREAST) }, (_, act) => ({
  act: act + 1,
  scenarios: SCENARIOS.slice(act * ABREAST, (act + 1) * ABREAST),
}));

describe.each(acts)(
  'under load nobody loses or repeats a publication without a word, $act',
  ({ scenarios }) => {
    for (const scenario of scenarios)
      it.concurrent(
        scenario.name,
        async () => {
          const outcome = await run(scenario, SEED);
          console.log(summary(scenario.name, SEED, outcome));
          expect(problems(scenario, outcome)).toEqual([]);
        },
        FAULT_MS,
      );
  },
);
