import { onlyThese, refuse } from '../kernel/refuse.ts';
import { kernelIfRunning } from '../kernel/running.ts';
import { Stream } from '../kernel/stream.ts';
import { anySignal } from './any-signal.ts';
import { deadline, timers } from './timers.ts';

/** Virtual time begins on 1 January 2027. */
const BEGIN_MS = Date.UTC(2027, 0, 1);
const RealDate = Date;
/** What modules draw while they are loaded, before any run. */
const WHILE_LOADING = new Stream('while loading');

/** The stream of the actor that runs, for one purpose. */
export function streamOf(purpose: string): Stream {
  return kernelIfRunning()?.current?.stream(purpose) ?? WHILE_LOADING;
}

function monotonicMs(): number {
  return (kernelIfRunning()?.nowUs ?? 0) / 1000;
}

function wallMs(): number {
  const kernel = kernelIfRunning();
  return Math.floor(BEGIN_MS + (kernel?.nowUs ?? 0) / 1000 + (kernel?.current?.clockOffsetMs ?? 0));
}

// A function, because `Date()` works without `new`.
function SimDate(...args: unknown[]): unknown {
  if (new.target === undefined) return new RealDate(wallMs()).toString();
  return Reflect.construct(RealDate, args.length === 0 ? [wallMs()] : args, new.target);
}
SimDate.prototype = RealDate.prototype;
SimDate.now = wallMs;
SimDate.parse = RealDate.parse;
SimDate.UTC = RealDate.UTC;

/** Of `crypto`, global and `node:crypto`: what draws at random and answers at once. */
export const cryptoRandom = {
  getRandomValues<T extends ArrayBufferView>(view: T): T {
    streamOf('crypto').fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return view;
  },
  randomUUID: (): string => streamOf('crypto').uuid(),
};

/** What exists in browsers and Node.js and does not exist in a run. */
const REFUSED = ['fetch', 'WebSocket', 'EventSource', 'PerformanceObserver'] as const;

/** Replaces the globals that time, chance and the network come from. */
export function installGlobals(): void {
  // First: Node.js loads what is behind some of them now, with its own clock.
  for (const name of REFUSED) define(name, () => refuse(name));
  Object.assign(globalThis, timers);
  SimDate.prototype.constructor = SimDate;
  define('Date', SimDate);
  define('performance', onlyThese('performance', { now: monotonicMs, timeOrigin: BEGIN_MS }));
  define('crypto', onlyThese('crypto', { ...cryptoRandom }));
  Math.random = () => streamOf('Math.random').fraction();
  AbortSignal.timeout = deadline;
  AbortSignal.any = anySignal;
}

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
