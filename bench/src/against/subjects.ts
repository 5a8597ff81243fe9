import { join } from 'node:path';
import { RedisServer } from '@msg/testkit/redis';
import { measureInTurns } from '../comparison.ts';
import { PinnedProcess, SERVER_CORE } from '../pinned.ts';
import { median } from '../statistics.ts';
import type { Comparison, Extent } from './main.ts';
import { ratioLine } from './ratio.ts';
import type { SubjectQuestion, SubjectSample } from './subject-process.ts';
import type { Tree } from './tree.ts';

const PROGRAM = new URL('./subject-process.ts', import.meta.url);

/** Microseconds of each operation. */
type Samples = Readonly<Record<string, number>>;

/** Part of a sample's time that is spent before it, so that the code is compiled. */
const WARM_UP = 0.5;

/** Runs the operations of a checkout's subject in a process of their own: what is luck of one process is so once. */
async function sampleAll(args: readonly string[], { sliceMs, only }: Extent): Promise<Samples> {
  const side = await PinnedProcess.start(PROGRAM, SERVER_CORE, { args });
  const sample = (name: string, ms: number): Promise<SubjectSample> =>
    side.ask({ kind: 'sample', name, ms } satisfies SubjectQuestion);
  try {
    const names = await side.ask<readonly string[]>({ kind: 'operations' } satisfies SubjectQuestion);
    const samples: Record<string, number> = {};
    for (const name of names.filter(text => text.includes(only))) {
      await sample(name, sliceMs * WARM_UP);
      samples[name] = (await sample(name, sliceMs)).us;
    }
    return samples;
  } finally {
    await side.stop();
  }
}

/** Compares the operations of a subject that both checkouts have. */
export function subject(name: string, needs: { readonly redis?: true } = {}): Comparison {
  return async (now, before, extent) => {
    const redis = needs.redis === undefined ? undefined : await RedisServer.start();
    try {
      const sample = ({ root }: Tree) =>
        sampleAll([join(root, 'bench/src/subjects', `${name}.ts`), redis?.address ?? ''], extent);
      const measured = await measureInTurns(
        extent.pairs,
        () => sample(now),
        () => sample(before),
      );
      for (const operation of Object.keys(measured[0]?.engine ?? {})) {
        const isNew = measured[0]?.baseline[operation] === undefined;
        const of = (samples: Samples): number => samples[operation] ?? Number.NaN;
        const line = isNew
          ? `${operation}, µs: ${median(measured.map(pair => of(pair.engine))).toFixed(2)}; new, nothing to compare with`
          : ratioLine(measured, { name: `${operation}, µs`, of, digits: 2 });
        console.log(`  ${line}`);
      }
    } finally {
      await redis?.stop();
    }
  };
}
