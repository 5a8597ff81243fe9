import type { ModelFailure } from './levels.ts';

/** The command, seen from a test of `packages/sim/test/blackbox`. */
const CLI = '../../src/cli';

/** What a test is emitted for. */
export interface Subject {
  /** The file of the plan, from the root of the repository. */
  readonly file: string;
  readonly oracle: string;
  /** The sentence that the oracle proves. */
  readonly promise: string;
}

/** A test of the broker's contract, for `packages/engine/test/broker`. */
export function contractTest({ file, oracle }: Subject, cases: readonly string[]): string {
  return `// packages/engine/test/broker: ${oracle} of ${file}, as the store alone shows it.
import { MemoryBroker, TimerWheel } from '@msg/engine';
import { BROKER_CONTRACT, RecordedEvents } from '@msg/engine/testing';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, it } from 'vitest';

// Cases that do not hold. The defect that the plan shows may need one of its own, beside them.
const BROKEN: readonly string[] = [
${cases.map(name => `  ${JSON.stringify(name)},`).join('\n')}
];

it.each(BROKEN)('%s', async name => {
  const clock = new ManualClock();
  const broker = new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
  const events = new RecordedEvents();
  await broker.start(events);
  const promise = BROKER_CONTRACT.find(each => each.name === name);
  expect(promise).toBeDefined();
  await promise?.holds({ broker, events, advance: ms => clock.advance(ms) });
  await broker.stop();
});
`;
}

/** A test of the engine's model, for \`packages/engine/test/model\`. */
export function modelTest({ file, oracle, promise }: Subject, failure: ModelFailure): string {
  const { seed, violation, setup, steps } = failure;
  return `// packages/engine/test/model: ${oracle} of ${file}, as the model of one node shows it.
import { expect, it } from 'vitest';
import { play } from './run.ts';

it(${JSON.stringify(promise)}, async () => {
  const { violation } = await play({
    seed: ${seed},
    ...${setup},
    steps: [
${steps.map(([operation, breath]) => `      { operation: ${operation}, breath: ${breath} },`).join('\n')}
    ],
  });
  // It was: ${violation}
  expect(violation).toBeNull();
});
`;
}

/** A test that plays the plan, for \`packages/sim/test/blackbox\`; from then on CI plays it in the corpus. */
export function corpusTest({ file, oracle, promise }: Subject): string {
  return `// packages/sim/test/blackbox: ${oracle} of ${file}. Neither the store alone nor the model of one node shows it.
// When it is fixed: npm run sim:adopt -- ${file} --name words-with-dashes
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { replay } from '${CLI}/corpus.ts';
import { readPlan } from '${CLI}/plan-file.ts';

const FILE = ${JSON.stringify(file)};

it(${JSON.stringify(promise)}, { timeout: 120_000 }, () => {
  const run = replay(readPlan(readFileSync(FILE, 'utf8'), FILE));
  expect([run?.fault, run?.violations]).toEqual([undefined, []]);
});
`;
}
