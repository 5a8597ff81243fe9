import { copyFileSync, linkSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import { removeIfPossible } from './atomic-file.ts';
import { errnoOf } from './contract.ts';
import { type Git, GitFailure } from './git-command.ts';
import { IndexWriter } from './index-writer.ts';
import { pathFromRoot, type RepositoryLocation } from './repository-location.ts';

const REGULAR_FILE = '100644';
const ATTEMPTS = 40;
const PAUSE_MS = 50;

/**
 * The index entry of one path. Other entries are never touched, so that what other people have staged stays staged. Used
 * under the repository's lock: the kept index has a fixed name.
 */
export class GitIndex {
  readonly #git: Git;
  readonly #location: RepositoryLocation;
  readonly #path: string;
  readonly #clock: Clock;
  readonly #writer: IndexWriter;

  constructor(git: Git, location: RepositoryLocation, path: string, clock: Clock) {
    this.#git = git;
    this.#location = location;
    this.#path = path;
    this.#clock = clock;
    this.#writer = new IndexWriter(location.gitDirectory);
  }

  /** Stages a blob, or the removal of the path. Another git command may hold the index for a moment. */
  async stage(blob: string | undefined): Promise<void> {
    for (let attempt = 1; blob !== undefined && attempt < ATTEMPTS; attempt++) {
      const outcome = this.#writer.stage(this.#path, blob);
      if (outcome === 'staged') return;
      if (outcome === 'unfit') break;
      await pause(this.#clock, PAUSE_MS);
    }
    await this.#update(blob === undefined ? `0 ${this.#location.noObject}` : `${REGULAR_FILE} ${blob}`);
  }

  /**
   * Keeps the index as it is now, for {@link restore}. Git replaces the index and never writes into it, so a second name
   * of the file is enough: the entry is read only when it is needed.
   */
  keep(): void {
    this.forget();
    const index = join(this.#location.gitDirectory, 'index');
    try {
      linkOrCopy(index, this.#copy);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }

  /** Gives the path the entry that it had in the kept index. */
  async restore(): Promise<void> {
    const path = pathFromRoot(this.#location, this.#path);
    const listing = ['ls-files', '--stage', '--full-name', '-z', '--', path];
    const line = await this.#git.read(listing, { env: { GIT_INDEX_FILE: this.#copy } });
    await this.#update(line.split('\t')[0] || `0 ${this.#location.noObject}`);
  }

  /** Drops the kept index. */
  forget(): void {
    removeIfPossible(this.#copy);
  }

  get #copy(): string {
    return join(this.#location.gitDirectory, '.dash-index');
  }

  /** @param entry `mode hash`, with a stage or without; mode 0 removes the path. */
  async #update(entry: string): Promise<void> {
    const stdin = `${entry}\t${this.#path}\0`;
    for (let attempt = 1; ; attempt++) {
      const result = await this.#git.run(['update-index', '-z', '--index-info'], { stdin });
      if (result.status === 0) return;
      if (attempt === ATTEMPTS || !/index\.lock/.test(result.stderr)) throw new GitFailure(result.stderr);
      this.#writer.removeLeftover();
      await pause(this.#clock, PAUSE_MS);
    }
  }
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw error;
    copyFileSync(from, to);
  }
}
