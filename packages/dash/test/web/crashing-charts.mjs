import { parentPort } from 'node:worker_threads';
import { paint } from '../../src/render/chart/paint.ts';

/** The thread that paints, in which some charts crash, throw or never end, as their names say. */
parentPort.on('message', ({ picture, size, id }) => {
  if (id.startsWith('c-crash')) process.exit(1);
  if (id.startsWith('c-throw')) throw new Error('no memory');
  if (!id.startsWith('c-hang')) parentPort.postMessage({ svg: paint(picture, size, id) });
});
parentPort.postMessage('ready');
