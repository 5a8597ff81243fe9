import { parentPort } from 'node:worker_threads';

/** A thread that crashes, hangs or answers, as the id of the order says. */
parentPort.on('message', ({ id }) => {
  if (id === 'crash') process.exit(1);
  if (id === 'throw') throw new Error('no memory');
  if (id !== 'hang') parentPort.postMessage({ svg: `<svg>${id}</svg>` });
});
parentPort.postMessage('ready');
