import { chmodSync, linkSync, lstatSync, readFileSync, renameSync, type Stats, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeIfPossible } from './atomic-file.ts';
import { errnoOf } from './contract.ts';
import { withBlob } from './index-file.ts';

/** What became of an attempt: `unfit` is left to git, after `locked` another one may succeed. */
export type StageOutcome = 'staged' | 'locked' | 'unfit';

/**
 * Changes one entry of a plain index under the lock that all git programs respect, without a process. The next index is
 * written first and given the name of the lock as a whole; a crash leaves it behind under a second name, by which the
 * next writer knows it for its own. Used under the repository's lock. The calls wait for the file system: each takes some
 * microseconds and none flushes, so handing them to a thread would take longer than they do, and the lock is held briefly.
 */
export class IndexWriter {
  readonly #index: string;
  readonly #lock: string;
  readonly #next: string;

  constructor(gitDirectory: string) {
    this.#index = join(gitDirectory, 'index');
    this.#lock = `${this.#index}.lock`;
    this.#next = join(gitDirectory, '.dash-index-next');
  }

  /** Stages a blob for a path that has an entry. */
  stage(path: string, blob: string): StageOutcome {
    const now = this.#read();
    const next = now && withBlob(now.bytes, Math.floor(now.stats.mtimeMs / 1_000), path, blob);
    if (now === undefined || next === undefined) return 'unfit';
    try {
      this.#prepare(next, now.stats.mode & 0o777);
      return this.#replace(now.stats);
    } catch {
      // Such as a file system without links.
      return 'unfit';
    } finally {
      removeIfPossible(this.#next);
    }
  }

  /** Removes what a writer that was killed left; the lock, too, when it is that writer's. */
  removeLeftover(): void {
    const left = lstatSync(this.#next, { throwIfNoEntry: false });
    if (left === undefined) return;
    const lock = lstatSync(this.#lock, { throwIfNoEntry: false });
    if (lock?.ino === left.ino && lock.dev === left.dev) removeIfPossible(this.#lock);
    removeIfPossible(this.#next);
  }

  #prepare(bytes: Buffer, mode: number): void {
    const options = { flag: 'wx', mode };
    try {
      writeFileSync(this.#next, bytes, options);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
      this.removeLeftover();
      writeFileSync(this.#next, bytes, options);
    }
    chmodSync(this.#next, mode);
  }

  #replace(expected: Stats): StageOutcome {
    try {
      linkSync(this.#next, this.#lock);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return 'locked';
      throw error;
    }
    let isReplaced = false;
    try {
      if (!isSame(lstatSync(this.#index), expected)) return 'locked';
      renameSync(this.#lock, this.#index);
      isReplaced = true;
      return 'staged';
    } finally {
      if (!isReplaced) removeIfPossible(this.#lock);
    }
  }

  /** Undefined for a missing one, and for a link. The file may be replaced meanwhile: {@link #replace} sees it. */
  #read(): { readonly stats: Stats; readonly bytes: Buffer } | undefined {
    try {
      const stats = lstatSync(this.#index);
      return stats.isFile() ? { stats, bytes: readFileSync(this.#index) } : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Git replaces the index and never writes into it, so these tell one index from the next. */
function isSame(stats: Stats, expected: Stats): boolean {
  const { ino, size, mtimeMs } = expected;
  return stats.ino === ino && stats.size === size && stats.mtimeMs === mtimeMs;
}
