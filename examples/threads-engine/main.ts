import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { RealtimeNode } from '@msg/engine';
import { threadHost } from '@msg/engine/threads';
import { policy } from './policy.ts';

const port = Number(process.env['PORT'] ?? 8000);
const threads = Number(process.env['THREADS'] ?? Math.min(availableParallelism(), 32));

// Streams, presence and messages between nodes are here; main's own node starts them.
const host = threadHost({ onError: console.error });
const node = new RealtimeNode({ policy, ...host.backends });
await node.start();

let stopping = false;
const workers = new Map<number, Worker>();

function startThread(number: number): void {
  const attached = host.attach(number);
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    name: `chat-${number}`,
    workerData: { link: attached.link, port },
    transferList: [...attached.transferList],
  });
  workers.set(number, worker);
  attached.broken.catch(() => worker.terminate());
  worker.on('message', text => console.log(text));
  worker.on('error', error => console.error(`thread ${number}:`, error));
  worker.once('exit', async () => {
    workers.delete(number);
    await attached.detach(); // its presence entries end, and a leave follows every join
    setTimeout(() => {
      if (!stopping) startThread(number);
    }, 100);
  });
}

for (let number = 1; number <= threads; number++) startThread(number);

process.once('SIGTERM', async () => {
  stopping = true;
  await Promise.all([...workers.values()].map(worker => endOf(worker)));
  await node.shutdown();
});

function endOf(worker: Worker): Promise<unknown> {
  worker.postMessage('stop');
  return new Promise(resolve => worker.once('exit', resolve));
}
