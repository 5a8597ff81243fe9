import { dirname } from 'node:path';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import { DashError } from '../errors.ts';
import { sweepLeftovers } from './atomic-file.ts';
import { asIoFailure, errnoOf, ioFailure, notFound } from './contract.ts';
import { LockFile } from './lock-file.ts';
import { LockWatch } from './lock-watch.ts';

const LONGEST_PAUSE_MS = 40;

/** How long a writer waits for the lock before STORAGE_BUSY (dashboard details 12.5). */
export const LOCK_WAIT_MS = 15_000;

/** A held lock, as the work under it sees it. */
export interface Lease {
  /** @throws DashError STORAGE_IO when another host took the lock over meanwhile: nothing may be written any more. */
  check(): Promise<void>;
}

/**
 * Gives out locks: first in, first out within the process, by lock files between processes. Holds one waiting queue per
 * path, so one object of this class belongs to one store.
 */
export class LockManager {
  readonly #queues = new Map<string, Promise<void>>();
  readonly #waitMs: number;
  readonly #clock: Clock;
  readonly #watch: LockWatch;

  constructor(waitMs: number = LOCK_WAIT_MS, clock: Clock = systemClock) {
    this.#waitMs = waitMs;
    this.#clock = clock;
    this.#watch = new LockWatch(clock);
  }

  /** Runs `work` while holding the lock file `path`. @throws DashError STORAGE_BUSY after the waiting time. */
  async withLock<T>(path: string, id: string, work: (lease: Lease) => Promise<T>): Promise<T> {
    const deadline = this.#clock.monotonic() + this.#waitMs;
    const leave = await this.#enqueue(path, id, deadline);
    try {
      const lock = await this.#acquire(path, id, deadline);
      try {
        return await work({ check: () => requireHeld(lock, id) });
      } finally {
        await lock.release();
      }
    } finally {
      leave();
    }
  }

  /** Waits for this process's earlier writers of the same lock; the returned function lets the next one in. */
  async #enqueue(path: string, id: string, deadline: number): Promise<() => void> {
    const before = this.#queues.get(path) ?? Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const after = before.then(() => promise);
    this.#queues.set(path, after);
    const leave = (): void => {
      resolve();
      if (this.#queues.get(path) === after) this.#queues.delete(path);
    };
    if (await this.#isSettledBy(deadline, before)) return leave;
    leave();
    throw busy(id);
  }

  async #isSettledBy(deadline: number, work: Promise<void>): Promise<boolean> {
    const waiting = new AbortController();
    const settled = work.then(() => true);
    const expired = pause(this.#clock, Math.max(0, deadline - this.#clock.monotonic()), waiting.signal);
    try {
      return await Promise.race([settled, expired.then(() => false)]);
    } finally {
      waiting.abort();
    }
  }

  async #acquire(path: string, id: string, deadline: number): Promise<LockFile> {
    try {
      for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        const lock = await LockFile.tryAcquire(path, this.#watch);
        if (lock !== undefined) {
          await sweepLeftovers(dirname(path), this.#clock.now());
          return lock;
        }
        if (this.#clock.monotonic() > deadline) throw busy(id);
        await pause(this.#clock, pauseMs);
      }
    } catch (error) {
      // The directory is missing, so the document is missing too.
      throw errnoOf(error) === 'ENOENT' ? notFound(id) : asIoFailure(error, 'lock', id);
    }
  }
}

async function requireHeld(lock: LockFile, id: string): Promise<void> {
  if (!(await lock.isHeld())) throw ioFailure('save', 'the lock was taken over by another writer', id);
}

function busy(id: string): DashError {
  return new DashError('STORAGE_BUSY', `Document "${id}" is locked by another writer; try again.`, { id });
}
