export { AtMost, type AtMostOptions } from './at-most.ts';
export { withDeadline } from './deadline.ts';
export { chain, isPromise, type MaybePromise, recover, runSteps } from './maybe-promise.ts';
export { pause } from './pause.ts';
export { SerialQueue } from './serial-queue.ts';
