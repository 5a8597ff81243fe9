import { parseArgs } from 'node:util';
import { ACTS, type Act, inOrderOf } from './acts.ts';
import { LANGUAGES } from './hearers.ts';
import { play } from './play.ts';
import { lateIn, lineOf } from './verdict.ts';

// npm run threads:faults -- [--seed n] [--threads 3] [--rate 500] [--minutes 10] [--only <part of a name>]
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    threads: { type: 'string' },
    rate: { type: 'string' },
    minutes: { type: 'string' },
    only: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const threads = Number(values.threads ?? 3);
const wanted = Number(values.rate ?? 500);
const minutes = Number(values.minutes ?? 10);

const languages = LANGUAGES.filter(language => language.missing() === undefined);
for (const language of LANGUAGES)
  if (!languages.includes(language)) console.log(`threads:faults: without ${language.missing()}`);
console.log(`threads:faults: seed ${seed}, ${threads} threads, ${wanted} publications a second`);

let failed = 0;
let played = 0;
/** Rather more than wanted: a thread that ends holds up what waits for it. */
const perSecond = Math.ceil(wanted * 1.1);
const { turn, chosen } = actsOf(values.only ?? '');
await play({
  threads,
  languages,
  perSecond,
  acts: chosen,
  inTurn: turn ? { act: turn, ms: minutes * 60_000 } : undefined,
  onOutcome(outcome) {
    played++;
    console.log(lineOf(outcome));
    const wrong = [...outcome.problems, ...lateIn(outcome, wanted)];
    for (const problem of wrong) console.error(`  FAILED: ${problem}`);
    if (wrong.length > 0) failed++;
  },
});
console.log(`threads:faults: seed ${seed}, ${played} faults, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

function actsOf(part: string): { turn: Act | undefined; chosen: readonly Act[] } {
  const chosen = inOrderOf(
    seed,
    ACTS.filter(({ name }) => name.includes(part)),
  );
  const turn = 'every thread in turn'.includes(part) ? ACTS[0] : undefined;
  return { turn, chosen };
}
