import { parentPort, workerData } from 'node:worker_threads';
import { type LinkLoad, playLinkLoad } from './link-load.ts';

parentPort?.postMessage(await playLinkLoad(workerData as LinkLoad));
// The process ends this thread: the other end may still write to it.
setInterval(() => {}, 1000);
