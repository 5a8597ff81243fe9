export { withDeadline } from './deadline.ts';
export { chain, isPromise, type MaybePromise, recover } from './maybe-promise.ts';
export { SerialQueue } from './serial-queue.ts';
