import { dirname } from 'node:path';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import { DashError } from '../errors.ts';
import { sweepLeftovers } from './atomic-file.ts';
import { asIoFailure, errnoOf, ioFailure, notFound } from './contract.ts';
import { LockFile } from './lock-file.ts';
import { LockWatch } from './lock-watch.ts';

const LONGEST_PAUSE_MS = 40;

/**
 * How long a writer waits before STORAGE_BUSY while no writer before it comes to its end (dashboard details 12.5). A queue
 * that moves is waited for, however slow the machine.
 */
export const LOCK_WAIT_MS = 15_000;

/** Writers of one lock in one process, the one that holds it included; one more is STORAGE_BUSY at once. */
export const MOST_WRITERS = 500;

/** A held lock, as the work under it sees it. */
export interface Lease {
  /** @throws DashError STORAGE_IO when another host took the lock over meanwhile: nothing may be written any more. */
  check(): void;
}

/** The writers of one lock in this process. */
interface Queue {
  /** Settles when the last of them has left. */
  last: Promise<void>;
  count: number;
  /** Monotonic time at which one of them got the lock or gave it back. */
  movedAt: number;
}

/**
 * Gives out locks: first in, first out within the process, by lock files between processes. Holds one waiting queue per
 * path, so one object of this class belongs to one store.
 */
export class LockManager {
  readonly #queues = new Map<string, Queue>();
  readonly #waitMs: number;
  readonly #clock: Clock;
  readonly #watch: LockWatch;

  constructor(waitMs: number = LOCK_WAIT_MS, clock: Clock = systemClock) {
    this.#waitMs = waitMs;
    this.#clock = clock;
    this.#watch = new LockWatch(clock);
  }

  /**
   * Runs `work` while holding the lock file `path`.
   * @throws DashError STORAGE_BUSY when no writer before this one ends within the waiting time, or too many wait.
   */
  async withLock<T>(path: string, id: string, work: (lease: Lease) => Promise<T>): Promise<T> {
    const now = (): number => this.#clock.monotonic();
    const arrivedAt = now();
    const queue = this.#queues.get(path) ?? { last: Promise.resolve(), count: 0, movedAt: arrivedAt };
    if (queue.count >= MOST_WRITERS) throw busy(id);
    this.#queues.set(path, queue);
    const deadline = (): number => Math.max(arrivedAt, queue.movedAt) + this.#waitMs;
    const { before, leave } = enter(queue);
    try {
      await this.#waitFor(before, deadline, id);
      const lock = await this.#acquire(path, id, deadline);
      queue.movedAt = now();
      try {
        return await work({ check: () => requireHeld(lock, id) });
      } finally {
        lock.release();
        queue.movedAt = now();
      }
    } finally {
      leave();
      if (queue.count === 0) this.#queues.delete(path);
    }
  }

  /** Waits for this process's earlier writers of the same lock. */
  async #waitFor(before: Promise<void>, deadline: () => number, id: string): Promise<void> {
    const waiting = new AbortController();
    const turn = before.then(() => true);
    try {
      for (;;) {
        const ms = Math.max(0, deadline() - this.#clock.monotonic());
        const expired = pause(this.#clock, ms, waiting.signal).then(() => false);
        if (await Promise.race([turn, expired])) return;
        if (this.#clock.monotonic() >= deadline()) throw busy(id);
      }
    } finally {
      waiting.abort();
    }
  }

  async #acquire(path: string, id: string, deadline: () => number): Promise<LockFile> {
    try {
      for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        const lock = await LockFile.tryAcquire(path, this.#watch);
        if (lock !== undefined) {
          await sweepLeftovers(dirname(path), this.#clock.now());
          return lock;
        }
        if (this.#clock.monotonic() > deadline()) throw busy(id);
        await pause(this.#clock, pauseMs);
      }
    } catch (error) {
      // The directory is missing, so the document is missing too.
      throw errnoOf(error) === 'ENOENT' ? notFound(id) : asIoFailure(error, 'lock', id);
    }
  }
}

/** A place at the end of a queue: those before it, and what the one in it does when it goes. */
function enter(queue: Queue): { readonly before: Promise<void>; leave(): void } {
  const before = queue.last;
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.last = before.then(() => promise);
  queue.count++;
  const leave = (): void => {
    queue.count--;
    resolve();
  };
  return { before, leave };
}

function requireHeld(lock: LockFile, id: string): void {
  if (!lock.isHeld()) throw ioFailure('save', 'the lock was taken over by another writer', id);
}

function busy(id: string): DashError {
  return new DashError('STORAGE_BUSY', `Document "${id}" is locked by another writer; try again.`, { id });
}
