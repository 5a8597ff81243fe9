// Main and its threads without a service: what a publication costs main. Argument: the number of threads.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Policy, RealtimeNode } from '@msg/engine';
import { threadHost } from '@msg/engine/threads';
import { serveQuestions } from '../pinned.ts';
import { stamped } from '../stamp.ts';
import { payloads } from './payloads.ts';
import {
  channelOfThread,
  countBells,
  type MainQuestion,
  type MainSample,
  RING_KIND,
  type StallSample,
  type ThreadAnswer,
  type ThreadLoad,
  type ThreadQuestion,
} from './thread-load.ts';

const count = Number(process.argv[2]);
const takeBells = countBells();
const policy: Policy = { connect: () => ({ user: '' }) };
const host = threadHost({ onError: console.error });
const node = new RealtimeNode({ policy, ...host.backends });
await node.start();

const [plain] = payloads('plain') as [Buffer];
const STREAM = { size: 100, ttlMs: 300_000 };
const answer = new Uint8Array(16);
const threads = Array.from({ length: count }, (_, index) => {
  const attached = host.attach(index + 1);
  attached.end.handle(RING_KIND, () => answer);
  const worker = new Worker(new URL('./publishing-thread.ts', import.meta.url), {
    workerData: { link: attached.link, number: index + 1 },
    transferList: [...attached.transferList],
  });
  worker.once('error', error => {
    throw error;
  });
  return worker;
});
await Promise.all(threads.map(worker => once(worker, 'message')));

async function ask(worker: Worker, question: ThreadQuestion): Promise<ThreadAnswer> {
  const answered = once(worker, 'message');
  worker.postMessage(question);
  const [result] = await answered;
  return result as ThreadAnswer;
}

const mainUs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

async function measure(publishers: readonly Worker[], load: ThreadLoad): Promise<MainSample> {
  const { perTurn, turnsUnderWay, everyMs, ms, mode } = load;
  const question = { kind: 'load', perTurn, turnsUnderWay, everyMs, ms, mode } as const;
  takeBells();
  const [before, begun] = [mainUs(), performance.now()];
  const answers = await Promise.all(publishers.map(worker => ask(worker, question)));
  return {
    published: answers.reduce((sum, { published }) => sum + published, 0),
    mainUs: mainUs() - before,
    wallMs: performance.now() - begun,
    bellsUp: answers.reduce((sum, { bells }) => sum + bells, 0),
    bellsDown: takeBells(),
  };
}

/** Publishes to two threads, while the second one stalls. */
async function stall({
  perSecond,
  ms,
  stallMs,
}: Extract<MainQuestion, { kind: 'stall' }>): Promise<StallSample> {
  const [other, stalled] = threads as [Worker, Worker];
  await Promise.all([other, stalled].map(worker => ask(worker, { kind: 'subscribe' })));
  const [before, begun] = [process.memoryUsage.rss(), performance.now()];
  let [published, most] = [0, before];
  const stalling = stallMs > 0 ? ask(stalled, { kind: 'stall', ms: stallMs }) : undefined;
  while (performance.now() - begun < ms) {
    for (const due = ((performance.now() - begun) * perSecond) / 1000; published < due; published++)
      await node.publish(channelOfThread(1), stamped(plain), { stream: STREAM });
    most = Math.max(most, process.memoryUsage.rss());
    await new Promise(resolve => setTimeout(resolve, 1));
  }
  await stalling;
  // An end of interest is answered after everything that was on its way.
  const [here, there] = await Promise.all(
    [other, stalled].map(worker => ask(worker, { kind: 'unsubscribe' })),
  );
  const nothing = { count: 0, p50: Number.NaN, p99: Number.NaN };
  return {
    published,
    other: here?.heard ?? nothing,
    stalled: there?.heard ?? nothing,
    grownBytes: most - before,
  };
}

serveQuestions<MainQuestion>(async question => {
  if (question.kind === 'stall') return stall(question);
  const { publishers, interested } = question;
  const listening = threads.slice(publishers, publishers + interested);
  if (listening.length < interested) throw new Error(`there are only ${count} threads`);
  await Promise.all(listening.map(worker => ask(worker, { kind: 'subscribe' })));
  const sample = await measure(threads.slice(0, publishers), question);
  await Promise.all(listening.map(worker => ask(worker, { kind: 'unsubscribe' })));
  return sample;
});
