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
  stall: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000),
};

if (!isMainThread && workerData?.number !== undefined) {
  const faults = new BroadcastChannel('faults');
  faults.onmessage = ({ data: { kind, thread } }) => {
    if (thread === workerData.number) setImmediate(FAULTS[kind]);
  };
  faults.unref();
}
