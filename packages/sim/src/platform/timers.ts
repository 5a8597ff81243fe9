import type { Actor, Entry } from '../kernel/actor.ts';
import { onlyThese, refuse } from '../kernel/refuse.ts';
import { kernelIfRunning, runningKernel } from '../kernel/running.ts';

/** Longest delay of a timer in Node.js; a longer one fires at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;
/** Immediates run after the input that is due at the same moment; a timer comes before or after them. */
const IMMEDIATES_FROM = 1;

type Callback = (...args: unknown[]) => void;

/** What `setTimeout` and `setInterval` return. */
class SimTimeout {
  static #ids = new WeakMap<object, Map<number, SimTimeout>>();
  #id: number | undefined;
  readonly #actor: Actor;
  readonly #delayMs: number;
  readonly #repeats: boolean;
  readonly #run: () => void;
  #entry: Entry | undefined;
  #counts = true;

  constructor(run: () => void, ms: unknown, repeats: boolean) {
    const delay = Math.trunc(Number(ms));
    this.#delayMs = delay >= 1 && delay <= LONGEST_DELAY_MS ? delay : 1;
    this.#repeats = repeats;
    this.#run = run;
    this.#actor = runningKernel('a timer').owner('a timer');
    this.#arm();
  }

  /** The timer of a number that `clearTimeout` was given. */
  static of(id: number): SimTimeout | undefined {
    return SimTimeout.#idsOf().get(id);
  }

  static #idsOf(): Map<number, SimTimeout> {
    const kernel = runningKernel('a timer');
    const ids = SimTimeout.#ids.get(kernel) ?? new Map<number, SimTimeout>();
    SimTimeout.#ids.set(kernel, ids);
    return ids;
  }

  #arm(): void {
    const kernel = runningKernel('a timer');
    const atUs = kernel.nowUs + this.#delayMs * 1000;
    const order = kernel.orders.fraction() * 2;
    this.#entry = kernel.schedule(this.#actor, { kind: 'timer', atUs, order, length: this.#delayMs }, () => {
      this.#entry = undefined;
      this.#run();
      if (this.#repeats && this.#counts) this.#arm();
    });
  }

  refresh(): this {
    if (!this.#counts) return this;
    if (this.#entry !== undefined) runningKernel('a timer').cancel(this.#entry);
    this.#arm();
    return this;
  }

  close(): this {
    this.#counts = false;
    if (this.#entry !== undefined) kernelIfRunning()?.cancel(this.#entry);
    this.#entry = undefined;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  [Symbol.toPrimitive](): number {
    const ids = SimTimeout.#idsOf();
    this.#id ??= ids.size + 1;
    ids.set(this.#id, this);
    return this.#id;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** What `setImmediate` returns. */
class SimImmediate {
  readonly #entry: Entry;

  constructor(run: () => void) {
    const kernel = runningKernel('an immediate');
    const actor = kernel.owner('an immediate');
    const order = IMMEDIATES_FROM + actor.immediates.order(kernel.nowUs, kernel.orders);
    this.#entry = kernel.schedule(actor, { kind: 'immediate', atUs: kernel.nowUs, order }, run);
  }

  close(): void {
    kernelIfRunning()?.cancel(this.#entry);
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function clear(handle: unknown): void {
  if (handle instanceof SimTimeout) handle.close();
  else if (typeof handle === 'number' || typeof handle === 'string') SimTimeout.of(Number(handle))?.close();
}

export const timers = {
  setTimeout: (callback: Callback, ms?: unknown, ...args: unknown[]) =>
    new SimTimeout(() => callback(...args), ms, false),
  setInterval: (callback: Callback, ms?: unknown, ...args: unknown[]) =>
    new SimTimeout(() => callback(...args), ms, true),
  setImmediate: (callback: Callback, ...args: unknown[]) => new SimImmediate(() => callback(...args)),
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: (handle: unknown) => {
    if (handle instanceof SimImmediate) handle.close();
  },
};

interface WaitOptions {
  readonly signal?: AbortSignal;
}

/** `node:timers/promises`. */
export const timerPromises = onlyThese('timers/promises', {
  setTimeout: <T>(ms?: number, value?: T, { signal }: WaitOptions = {}): Promise<T | undefined> =>
    waited(resolve => timers.setTimeout(resolve, ms), value, signal),
  setImmediate: <T>(value?: T, { signal }: WaitOptions = {}): Promise<T | undefined> =>
    waited(resolve => timers.setImmediate(resolve), value, signal),
  setInterval: () => refuse('timers/promises.setInterval'),
});

function waited<T>(
  begin: (resolve: () => void) => { close(): unknown },
  value: T | undefined,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      handle?.close();
      reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }));
    };
    const handle = signal?.aborted
      ? undefined
      : begin(() => {
          signal?.removeEventListener('abort', aborted);
          resolve(value);
        });
    if (handle === undefined) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** `AbortSignal.timeout`. */
export function deadline(ms: number): AbortSignal {
  const controller = new AbortController();
  timers.setTimeout(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms);
  return controller.signal;
}
