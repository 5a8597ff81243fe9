/** The thread that paints: ECharts takes milliseconds for a chart, and no request waits behind it. */
import { parentPort } from 'node:worker_threads';
import { paint } from './paint.ts';
import type { Answer, Order } from './painter.ts';

parentPort?.on('message', (order: Order) => parentPort?.postMessage(answerTo(order)));
parentPort?.postMessage('ready' satisfies Answer);

function answerTo({ picture, size, id }: Order): Answer {
  try {
    return { svg: paint(picture, size, id) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : 'the drawing failed' };
  }
}
