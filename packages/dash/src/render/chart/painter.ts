import { Worker } from 'node:worker_threads';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { DashError } from '../../errors.ts';
import type { Picture } from './model.ts';
import type { Size } from './option.ts';

/** Time that one painting may take before its thread counts as stuck, in milliseconds. */
const LONGEST_PAINTING = 5_000;

/**
 * Room for new objects of the thread, in MiB. Drawings leave little behind, but V8 would let this room grow to many times
 * what is in use.
 */
const YOUNG_MB = 4;

/** What the thread is asked to paint, one at a time. */
export interface Order {
  readonly picture: Picture;
  readonly size: Size;
  /** Prefix of the ids in the SVG. */
  readonly id: string;
}

/** What the thread says: that it has loaded what it paints with, and then one answer for each order. */
export type Answer = 'ready' | { readonly svg: string } | { readonly reason: string };

interface Waiting {
  readonly order: Order;
  resolve(svg: string): void;
  reject(error: DashError): void;
}

/**
 * Paints pictures in a thread of its own, one after the other. A painting that takes longer than 5 s, or that ends
 * the thread, costs itself alone: the thread is replaced and the next one begins.
 */
export class Painter {
  readonly #clock: Clock;
  readonly #program: URL;
  readonly #queue: Waiting[] = [];
  #thread: Worker | undefined;
  #isReady = false;
  #current: Waiting | undefined;
  #deadline: TimerHandle | undefined;
  #isClosed = false;

  /** @param program The module that the thread runs; tests hand in one that fails. */
  constructor(clock: Clock, program: URL = PROGRAM) {
    this.#clock = clock;
    this.#program = program;
  }

  /**
   * SVG of a picture.
   * @throws DashError RENDER_FAILED when it cannot be painted, takes more than 5 s, or the painter is closed.
   */
  paint(order: Order): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(renderFailed('the service is closing'));
      this.#queue.push({ order, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread; what waits is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = this.#current === undefined ? this.#queue : [this.#current, ...this.#queue];
    const thread = this.#thread;
    this.#forget();
    for (const { reject } of waiting.splice(0)) reject(renderFailed('the service is closing'));
    await thread?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#queue.shift();
    if (this.#current === undefined) return;
    this.#thread ??= this.#start();
    if (this.#isReady) this.#send(this.#thread);
  }

  /** Sends the current order; the time that a thread takes to load is not that of a painting. */
  #send(thread: Worker): void {
    if (this.#current === undefined) return;
    thread.postMessage(this.#current.order);
    this.#deadline = this.#clock.setTimeout(() => this.#lose('it took longer than 5 s'), LONGEST_PAINTING);
  }

  #start(): Worker {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const thread = new Worker(this.#program, { resourceLimits, ...defined({ execArgv: FLAGS }) });
    thread.unref();
    thread.on('message', (answer: Answer) => this.#take(thread, answer));
    thread.on('error', () => this.#lose('the drawing ended its thread', thread));
    thread.on('exit', () => this.#lose('the drawing ended its thread', thread));
    return thread;
  }

  #take(thread: Worker, answer: Answer): void {
    if (thread !== this.#thread) return;
    if (answer === 'ready') {
      this.#isReady = true;
      this.#send(thread);
      return;
    }
    const current = this.#current;
    this.#settle();
    if ('svg' in answer) current?.resolve(answer.svg);
    else current?.reject(renderFailed(answer.reason));
    this.#next();
  }

  /** Gives up the thread with what it paints; the next picture gets a new one. */
  #lose(reason: string, thread = this.#thread): void {
    if (thread !== this.#thread) return;
    const current = this.#current;
    this.#forget();
    void thread?.terminate();
    current?.reject(renderFailed(reason));
    this.#next();
  }

  #forget(): void {
    this.#thread = undefined;
    this.#isReady = false;
    this.#settle();
  }

  #settle(): void {
    this.#current = undefined;
    if (this.#deadline !== undefined) this.#clock.clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }
}

const IS_SOURCE = import.meta.url.endsWith('.ts');
/** Beside this file: compiled in a package, as it is written in a checkout whose Node.js reads types. */
const PROGRAM = new URL(`./painter-worker${IS_SOURCE ? '.ts' : '.js'}`, import.meta.url);
/** Flags that a thread may have of its own; those of V8 belong to the process, and a thread refuses to start with them. */
const FLAG_OF_THREADS = /^--(?:(?:conditions|disable-warning|import)=|experimental-[a-z-]+$)/;
/** A thread has none of the resolve hooks by which the launcher finds the sources of the other packages. */
const FLAGS = IS_SOURCE
  ? [...process.execArgv.filter(flag => FLAG_OF_THREADS.test(flag)), '--conditions=msg-source']
  : undefined;

function renderFailed(reason: string): DashError {
  return new DashError('RENDER_FAILED', `The chart cannot be drawn: ${reason}.`, { reason });
}
