import { measureInTurns } from '../comparison.ts';
import { PinnedProcess } from '../pinned.ts';
import { printQuantity } from '../report.ts';
import type { MainQuestion, StallSample } from '../servers/thread-load.ts';
import type { CoresSetting } from './setting.ts';

const HOST = new URL('../servers/threads-host.ts', import.meta.url);
const PER_SECOND = 20_000;
const STALL_MS = 5000;
const ROUND_MS = 6000;
const MIB = 1024 * 1024;
const WANTED_MIB = 32;

/** One of two threads stalls for 5 s while main publishes to both, against the same round without a stall. */
export async function measure({ pairs, serverCpus }: CoresSetting): Promise<void> {
  const host = await PinnedProcess.start(HOST, serverCpus, { args: ['2'] });
  const sample = (stallMs: number) => (): Promise<StallSample> =>
    host.ask({ kind: 'stall', perSecond: PER_SECOND, ms: ROUND_MS, stallMs } satisfies MainQuestion);
  try {
    const measured = await measureInTurns(pairs, sample(STALL_MS), sample(0));
    console.log(
      `stall: one of 2 threads stalls for 5 s, ${PER_SECOND} publications/s to both, without a service`,
    );
    const show = (quantity: Parameters<typeof printQuantity<StallSample>>[2]): void =>
      printQuantity(measured, 'without', quantity, 'with the stall');
    show({
      name: 'p99 from main to the other thread, ms',
      of: ({ other }) => other.p99 / 1000,
      digits: 2,
      wanted: '≤ 1.5',
    });
    show({ name: 'p50 from main to the other thread, ms', of: ({ other }) => other.p50 / 1000, digits: 2 });
    show({
      name: `most memory above the start of the round, MiB, ≤ ${WANTED_MIB} with the stall`,
      of: ({ grownBytes }) => grownBytes / MIB,
      digits: 0,
    });
    show({
      name: 'share that the other thread heard',
      of: ({ other, published }) => other.count / published,
      digits: 3,
    });
    show({
      name: 'share that the thread that stalls heard',
      of: ({ stalled, published }) => stalled.count / published,
      digits: 3,
    });
  } finally {
    await host.stop();
  }
}
