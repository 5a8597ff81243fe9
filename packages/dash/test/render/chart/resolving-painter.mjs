import { parentPort } from 'node:worker_threads';

/** A thread that answers every order with the file that another package's entry stands for. */
parentPort.on('message', () => parentPort.postMessage({ svg: import.meta.resolve('@msg/foundation/json') }));
parentPort.postMessage('ready');
