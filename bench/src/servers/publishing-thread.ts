// A thread that publishes to main, or is interested in a channel; nothing of a service is in it.
import { parentPort, workerData } from 'node:worker_threads';
import type { BrokerEvents } from '@msg/engine';
import { Payload } from '@msg/engine';
import { type ThreadLink, threadBackends } from '@msg/engine/threads';
import { Latencies } from '../load/latencies.ts';
import { payloads } from './payloads.ts';
import {
  channelOfThread,
  countBells,
  RING_KIND,
  type ThreadAnswer,
  type ThreadLoad,
  type ThreadQuestion,
} from './thread-load.ts';

const { link, number } = workerData as { readonly link: ThreadLink; readonly number: number };
const takeBells = countBells();
const { backends, end } = threadBackends(link);
const { broker } = backends;
const latencies = new Latencies();
const ignored = (): void => {};
const events: BrokerEvents = {
  publication: (_channel, { data }) => latencies.observe(Buffer.from(data.bytes)),
  appended: ignored,
  join: ignored,
  leave: ignored,
};
await broker.start(events);

const [bytes] = payloads('plain') as [Buffer];
const payload = new Payload(bytes);
const STREAM = { size: 100, ttlMs: 300_000 };
const OPTIONS = {};
const channel = channelOfThread(number);
/** A record of the ring is as large as one of a publish. */
const ringBody = Buffer.alloc(bytes.length + 64);

const sendOne: Readonly<Record<ThreadLoad['mode'], () => unknown>> = {
  publish: () => broker.publish(channel, payload, STREAM, OPTIONS),
  ring: () => end.request(RING_KIND, ringBody),
};

/** Sends in turns for so long, then waits for what is under way. */
function load({ mode, perTurn, turnsUnderWay, everyMs, ms }: ThreadLoad): Promise<ThreadAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
  const send = sendOne[mode];
  const until = performance.now() + ms;
  let [published, waiting, ready] = [0, 0, turnsUnderWay];
  let isDue = false;
  const answered = (): void => {
    waiting--;
    ready++;
    if (everyMs > 0) setTimeout(nextSoon, everyMs);
    else nextSoon();
  };
  const next = (): void => {
    isDue = false;
    if (performance.now() >= until) {
      if (waiting === 0) resolve({ published, bells: takeBells() });
      return;
    }
    if (ready === 0) return;
    ready--;
    waiting++;
    published += perTurn;
    Promise.all(Array.from({ length: perTurn }, send)).then(answered, reject);
    if (ready > 0) nextSoon();
  };
  const nextSoon = (): void => {
    if (isDue) return;
    isDue = true;
    setImmediate(next);
  };
  nextSoon();
  return promise;
}

parentPort?.on('message', async (question: ThreadQuestion) => {
  takeBells();
  switch (question.kind) {
    case 'load':
      return parentPort?.postMessage(await load(question));
    case 'subscribe':
    case 'unsubscribe': {
      await broker[question.kind](channelOfThread(1));
      const heard = latencies.take();
      return parentPort?.postMessage({ published: 0, bells: 0, heard } satisfies ThreadAnswer);
    }
    case 'stall':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, question.ms);
      return parentPort?.postMessage({ published: 0, bells: 0 } satisfies ThreadAnswer);
  }
});
parentPort?.postMessage({ published: 0, bells: 0 } satisfies ThreadAnswer);
