import { PinnedProcess } from '../pinned.ts';
import type { MainQuestion, MainSample } from '../servers/thread-load.ts';
import { median, spread } from '../statistics.ts';
import type { CoresSetting } from './setting.ts';

const HOST = new URL('../servers/threads-host.ts', import.meta.url);
/** Threads that are interested, at most, besides the one that publishes. */
const MOST = 8;

/** How publications come: as many as a thread can send, and one that finds every thread asleep. */
const WAYS = [
  { name: 'threads busy', perTurn: 10, turnsUnderWay: 16, everyMs: 0, wanted: 1.5 },
  { name: 'threads asleep', perTurn: 1, turnsUnderWay: 1, everyMs: 5, wanted: 12 },
] as const;

/** What each further interested thread costs main for a publication. */
export async function measure({ pairs, sliceMs, serverCpus, threads }: CoresSetting): Promise<void> {
  const most = Math.min(MOST, Math.max(2, ...threads));
  const host = await PinnedProcess.start(HOST, serverCpus, { args: [String(most + 1)] });
  try {
    for (const { name, wanted, ...way } of WAYS) {
      const load = { kind: 'load', mode: 'publish', publishers: 1, ms: sliceMs, ...way } as const;
      const costs: number[][] = Array.from({ length: most + 1 }, () => []);
      // One round is not measured; numbers of threads take turns.
      for (let round = 0; round <= pairs; round++)
        for (let interested = 0; interested <= most; interested++) {
          const sample = await host.ask<MainSample>({ ...load, interested } satisfies MainQuestion);
          if (round > 0) costs[interested]?.push(sample.mainUs / sample.published);
        }
      print(name, wanted, costs);
    }
  } finally {
    await host.stop();
  }
}

function print(name: string, wanted: number, costs: readonly (readonly number[])[]): void {
  console.log(`interested: CPU of main per publication of one thread by interested threads, µs, ${name}`);
  for (const [interested, samples] of costs.entries())
    console.log(`  ${interested} interested: ${spread(samples, 2)}`);
  const medians = costs.map(median);
  const [first = Number.NaN, last = Number.NaN] = [medians[1], medians.at(-1)];
  const each = (last - first) / (costs.length - 2);
  console.log(`  each further one: ${each.toFixed(2)}, wanted ≤ ${wanted}`);
}
