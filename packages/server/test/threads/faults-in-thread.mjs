import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';

/** What a thread, or main, can be told to do. */
export const FAULTS = {
  throw: () => {
    throw new Error('an injected failure');
  },
  exit: () => process.exit(7),
  loop: () => {
    for (;;);
  },
  memory: () => {
    const kept = [];
    for (;;) kept.push(new Array(10_000).fill(kept.length));
  },
  dump: () =>
    process._rawDebug(`given: ${JSON.stringify({ workerData, env: process.env, argv: process.argv })}`),
  link: () => breakLink(workerData.link.memory.outgoing),
  stall: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000),
};

/** Writes a record that is not one, rings, and keeps its thread from writing over it. The words are those of ring-memory.ts. */
function breakLink(memory) {
  const words = new Int32Array(memory, 0, 96);
  const [head, asleep, rung] = [0, 32, 80];
  const records = new DataView(memory, 384);
  const at = Atomics.load(words, head);
  records.setUint32(at & (records.byteLength - 1), 0x7fffffff, true);
  Atomics.store(words, head, at + 16);
  Atomics.store(words, rung, at + 16);
  Atomics.store(words, asleep, 0);
  Atomics.notify(words, asleep);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

if (!isMainThread && workerData?.number !== undefined) {
  const faults = new BroadcastChannel('faults');
  faults.onmessage = ({ data: { kind, thread } }) => {
    if (thread === workerData.number) setImmediate(FAULTS[kind]);
  };
  faults.unref();
}
