import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { StreamOptions, StreamPosition } from '../stream/contract.ts';
import type { AppendedState, AppendResult, AppendStore, PreparedAppend, StoredAppend } from './contract.ts';
import { AppendRefused } from './refusal.ts';
import { fullWindowOf, windowOf } from './windows.ts';

/** Once so many bytes wait, the window does not. */
const WAITING_BYTES = 65_536;

/** A request that waits for its window. */
interface WaitingRequest {
  readonly request: PreparedAppend;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

/** What a window needs of its node. */
export interface WindowContext {
  readonly clock: Clock;
  store(): AppendStore;
  streamOptions(channel: string): StreamOptions;
}

/**
 * The requests to append to one channel (append streams 8.3). After a quiet time they go to the store at the end of the
 * turn; the next ones wait, and those of one producer go together. They go strictly one after the other, and each is
 * answered when it is stored.
 */
export class ChannelWindow {
  readonly #channel: string;
  readonly #context: WindowContext;
  #waiting: WaitingRequest[] = [];
  #waitingBytes = 0;
  /** A request that waits need not wait. */
  #isUrgent = false;
  #isStoring = false;
  #atEndOfTurn = false;
  #timer: TimerHandle | null = null;
  #timerDue = 0;
  /** Bytes of the document. */
  #size = 0;
  #isOpen = false;
  /** Monotonic times of the newest publication of the message, and of the newest that had to go in full. */
  #storedAt = Number.NEGATIVE_INFINITY;
  #fullAt = Number.NEGATIVE_INFINITY;
  /** Another publication came after the newest state: the next one has to go in full. */
  #isInterrupted = false;
  /** The newest state that this node delivered. */
  #delivered: StreamPosition = { offset: 0, epoch: '' };

  constructor(channel: string, context: WindowContext) {
    this.#channel = channel;
    this.#context = context;
  }

  /** True when nothing waits and no message is open. */
  get isIdle(): boolean {
    return !this.#isOpen && this.#waiting.length === 0 && !this.#isStoring;
  }

  append(request: PreparedAppend): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#waitingBytes += bytesOf(request);
      this.#isUrgent ||= isUrgent(request);
      // A timer looks again when it fires: nothing but these makes the time come earlier.
      if (this.#timer === null || this.#isUrgent || this.#waitingBytes >= WAITING_BYTES) this.#schedule();
    });
  }

  interrupted(): void {
    this.#isInterrupted = true;
  }

  appended({ previous, opened, ended, position }: AppendedState): void {
    this.#delivered = position;
    this.#isInterrupted = false;
    this.#isOpen = !ended;
    if (previous === null && !opened) this.#fullAt = this.#context.clock.monotonic();
  }

  /** Stores what waits, without its window. */
  finish(): void {
    this.#clearTimer();
    if (!this.#isStoring) this.#store();
  }

  #schedule(): void {
    if (this.#isStoring || this.#atEndOfTurn || this.#waiting.length === 0) return;
    const now = this.#context.clock.monotonic();
    const due = this.#due();
    if (due <= now) {
      this.#clearTimer();
      this.#atEndOfTurn = true;
      queueMicrotask(() => {
        this.#atEndOfTurn = false;
        if (!this.#isStoring) this.#store();
      });
    } else if (this.#timer === null || this.#timerDue > due) {
      this.#clearTimer();
      this.#timerDue = due;
      this.#timer = this.#context.clock.setTimeout(() => {
        this.#timer = null;
        this.#schedule();
      }, due - now);
    }
  }

  /** When what waits may be stored, monotonic. */
  #due(): number {
    if (this.#isUrgent) return 0;
    const { append } = this.#context.streamOptions(this.#channel);
    const due = this.#waitingBytes >= WAITING_BYTES ? 0 : this.#storedAt + windowOf(append, this.#size);
    // A publisher cannot make the readers of the channel receive the text again and again.
    return this.#isInterrupted
      ? Math.max(due, this.#fullAt + fullWindowOf(append?.fullWindowMs, this.#size))
      : due;
  }

  #store(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#isUrgent = false;
    this.#isStoring = true;
    const stored = this.#storeFrom(waiting, 0);
    if (isPromise(stored)) void stored.then(() => this.#stored());
    else this.#stored();
  }

  #stored(): void {
    this.#isStoring = false;
    this.#schedule();
  }

  /** Stores the requests from `start` on, those that continue each other together. */
  #storeFrom(waiting: readonly WaitingRequest[], start: number): MaybePromise<void> {
    for (let from = start; from < waiting.length; ) {
      const to = endOfRun(waiting, from);
      const stored = this.#storeRun(waiting.slice(from, to));
      from = to;
      if (isPromise(stored)) return stored.then(() => this.#storeFrom(waiting, from));
    }
  }

  #storeRun(run: readonly WaitingRequest[]): MaybePromise<void> {
    const [first] = run;
    if (first === undefined) return;
    const failed = (error: unknown): MaybePromise<void> => this.#refuse(run, error);
    try {
      const request = run.length === 1 ? first.request : merged(run);
      const options = this.#context.streamOptions(this.#channel);
      const result = this.#context.store().append(this.#channel, request, options);
      if (isPromise(result)) return result.then(stored => this.#answer(run, stored)).catch(failed);
      this.#answer(run, result);
    } catch (error) {
      return failed(error);
    }
  }

  #answer(run: readonly WaitingRequest[], stored: StoredAppend): void {
    this.#size = stored.size;
    this.#storedAt = this.#context.clock.monotonic();
    this.#learn(stored);
    const result = stored.inFull === undefined ? stored : withoutForm(stored);
    let before = 0;
    for (const { request, resolve } of run) {
      const duplicates = Math.min(Math.max(result.duplicates - before, 0), request.ops.length);
      before += request.ops.length;
      resolve(run.length === 1 ? result : { ...result, duplicates });
    }
  }

  /** A node that does not deliver the channel learns from the answers alone whether others publish there. */
  #learn({ offset, epoch, inFull }: StoredAppend): void {
    if (this.#delivered.epoch === epoch && this.#delivered.offset >= offset) return;
    this.#isInterrupted = inFull === true;
    if (inFull) this.#fullAt = this.#storedAt;
  }

  /** Of several requests that went together, each is tried alone: only those are refused that have to be. */
  #refuse(run: readonly WaitingRequest[], error: unknown): MaybePromise<void> {
    if (run.length === 1 || !(error instanceof AppendRefused)) {
      for (const { reject } of run) reject(error);
      return;
    }
    return this.#storeAlone(run, 0);
  }

  #storeAlone(run: readonly WaitingRequest[], start: number): MaybePromise<void> {
    for (let index = start; index < run.length; index++) {
      const stored = this.#storeRun(run.slice(index, index + 1));
      if (isPromise(stored)) return stored.then(() => this.#storeAlone(run, index + 1));
    }
  }

  #clearTimer(): void {
    if (this.#timer !== null) this.#context.clock.clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function bytesOf({ ops }: PreparedAppend): number {
  let bytes = 0;
  for (const op of ops) if (op.kind !== 'status') bytes += op.bytes.length;
  return bytes;
}

/** An end, and a request without operations, need not wait. */
function isUrgent({ ops }: PreparedAppend): boolean {
  const last = ops.at(-1);
  return last === undefined || last.kind === 'status';
}

/** Index after the last request that continues the one at `from`. */
function endOfRun(waiting: readonly WaitingRequest[], from: number): number {
  let to = from + 1;
  while (to < waiting.length && continues(waiting[to - 1], waiting[to])) to++;
  return to;
}

/** Whether a request goes on where the one before it ends, and says nothing else. */
function continues(first: WaitingRequest | undefined, second: WaitingRequest | undefined): boolean {
  if (first === undefined || second === undefined) return false;
  const [a, b] = [first.request, second.request];
  if (a.ops.length === 0 || b.ops.length === 0 || a.ops.at(-1)?.kind === 'status') return false;
  const isNext = b.seq === a.seq + a.ops.length && b.takeOver !== true;
  return isNext && a.message === b.message && a.producer === b.producer && repeats(a, b);
}

/** Whether the second request says nothing about its message that the first does not say. */
function repeats(a: PreparedAppend, b: PreparedAppend): boolean {
  return SAID_ONCE.every(member => b[member] === undefined || b[member] === a[member]);
}

const SAID_ONCE = ['format', 'run', 'input', 'orphanMs'] as const;

function withoutForm({ inFull: _, ...result }: StoredAppend): AppendResult {
  return result;
}

function merged(run: readonly WaitingRequest[]): PreparedAppend {
  const { request } = run[0] as WaitingRequest;
  return { ...request, ops: run.flatMap(waiting => waiting.request.ops) };
}
