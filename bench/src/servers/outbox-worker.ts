// A worker of an outbox beside the service, in a process of its own. Told over IPC what to do, it answers what it measured.
import { setTimeout as pause } from 'node:timers/promises';
import { createRpcClient } from '@msg/core';
import { connectPostgres, OutboxWorker, rpcPublisher } from '@msg/postgres';

/** Asked of the worker. */
export type WorkerQuestion =
  /** Publishes so many rows, which wait. */
  | { readonly kind: 'drain'; readonly rows: number }
  /** Works, with or without notifications, until the next question. */
  | { readonly kind: 'work'; readonly bell: boolean }
  | { readonly kind: 'rest' };

export interface WorkerAnswer {
  readonly ms: number;
  /** Milliseconds of each tenth of the rows. */
  readonly tenths: readonly number[];
  /** Resident memory before, and at its highest. */
  readonly idleBytes: number;
  readonly highestBytes: number;
}

const LOOK_MS = 10;
const TENTHS = 10;

const [url = '', server = '', token = ''] = process.argv.slice(2);
const sql = await connectPostgres({ url });
const msg = rpcPublisher(createRpcClient({ server, token, fetch }));
let working: OutboxWorker | undefined;

async function drain(rows: number): Promise<WorkerAnswer> {
  globalThis.gc?.();
  const idleBytes = process.memoryUsage.rss();
  let highestBytes = idleBytes;
  const worker = new OutboxWorker({ sql, msg });
  const start = performance.now();
  const ends: number[] = [];
  worker.start();
  while (ends.length < TENTHS) {
    await pause(LOOK_MS);
    highestBytes = Math.max(highestBytes, process.memoryUsage.rss());
    const { published } = worker.stats();
    while (ends.length < TENTHS && published >= (rows * (ends.length + 1)) / TENTHS)
      ends.push(performance.now() - start);
  }
  await worker.stop();
  const tenths = ends.map((end, index) => end - (ends[index - 1] ?? 0));
  return { ms: ends.at(-1) ?? Number.NaN, tenths, idleBytes, highestBytes };
}

/** Works until it is told to rest; resolves when notifications arrive, where they are wanted. */
async function work(bell: boolean): Promise<void> {
  await working?.stop();
  working = new OutboxWorker({ sql, msg, bell });
  working.start();
  while (working.stats().bell !== (bell ? 'listening' : 'polling')) await pause(LOOK_MS);
}

process.on('message', async (question: WorkerQuestion) => {
  if (question.kind === 'drain') process.send?.(await drain(question.rows));
  else {
    if (question.kind === 'work') await work(question.bell);
    else await working?.stop();
    process.send?.({});
  }
});
process.once('disconnect', () => process.exit());
process.send?.({});
