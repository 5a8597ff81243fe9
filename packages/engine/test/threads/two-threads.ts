import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createLink, type LinkSizes } from '@msg/engine/threads';
import { type LinkVerdict, playLinkLoad } from './link-load.ts';

/** What a run over two threads needs. */
export interface TwoThreadsOptions {
  readonly seed: number;
  /** In each direction. */
  readonly records: number;
  readonly sizes: LinkSizes;
  readonly stallEvery: number;
}

/** Flags of a thread that runs TypeScript sources. */
export const THREAD_FLAGS = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning'];

/** Plays a load between this thread and another one; resolves to what each saw. */
export async function playTwoThreads({
  seed,
  records,
  sizes,
  stallEvery,
}: TwoThreadsOptions): Promise<{ main: LinkVerdict; thread: LinkVerdict }> {
  const { main, thread, transferList } = createLink(sizes);
  const common = { records, stallEvery };
  const worker = new Worker(new URL('./link-worker.ts', import.meta.url), {
    workerData: { ...common, memory: thread, sendSeed: seed + 1_000_000, expectSeed: seed },
    transferList,
    execArgv: THREAD_FLAGS,
  });
  try {
    const verdict = once(worker, 'message').then(([message]) => message as LinkVerdict);
    const own = await playLinkLoad({ ...common, memory: main, sendSeed: seed, expectSeed: seed + 1_000_000 });
    return { main: own, thread: await verdict };
  } finally {
    await worker.terminate();
    main.calls.close();
    main.parcels.close();
  }
}
