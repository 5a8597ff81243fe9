// Runs one subject: the module that the first argument names. It is loaded from its own checkout, this program from the
// working tree. The second argument is the address of a Redis server, for subjects that need one.
import { serveQuestions } from '../pinned.ts';
import type { Operation, SubjectEnvironment } from '../subjects/operation.ts';

export type SubjectQuestion =
  | { readonly kind: 'operations' }
  /** Does the work again and again for about so long. */
  | { readonly kind: 'sample'; readonly name: string; readonly ms: number };

/** Microseconds of one operation. */
export interface SubjectSample {
  readonly us: number;
}

/** Most operations between two looks at the clock. */
const MAX_BATCH = 100_000;

interface Subject {
  operations(surroundings: SubjectEnvironment): readonly Operation[] | Promise<readonly Operation[]>;
}

const [path = '', redis = ''] = process.argv.slice(2);
const { operations } = (await import(path)) as Subject;
const list = await operations({ redis });

let latest: unknown;

/** Does it so many times. Results are kept, so that nothing is optimised away; promises are waited for. */
async function repeat({ run, concurrency = 1 }: Operation, count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left--;
      const result = run();
      latest = result instanceof Promise ? await result : result;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  if (latest === list) throw new Error('not reached: keeps the results alive');
}

function microseconds(clock: Operation['clock']): number {
  if (clock === 'wall') return performance.now() * 1000;
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function sample(operation: Operation, ms: number): Promise<SubjectSample> {
  const start = microseconds(operation.clock);
  let done = 0;
  for (let batch = operation.concurrency ?? 1; ; batch = Math.min(MAX_BATCH, batch * 2)) {
    await repeat(operation, batch);
    done += batch;
    const us = microseconds(operation.clock) - start;
    if (us >= ms * 1000) return { us: us / done };
  }
}

serveQuestions<SubjectQuestion>(question => {
  if (question.kind === 'operations') return list.map(({ name }) => name);
  const operation = list.find(({ name }) => name === question.name);
  if (operation === undefined) throw new Error(`no operation ${question.name}`);
  return sample(operation, question.ms);
});
