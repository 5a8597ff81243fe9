// Loaded into an attacked program before anything else: SIGUSR2 collects all garbage, that of its threads, too.
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const threads = new BroadcastChannel('collect');
threads.unref();
if (isMainThread)
  process.on('SIGUSR2', () => {
    threads.postMessage(null);
    globalThis.gc?.();
  });
else threads.onmessage = () => void globalThis.gc?.();
