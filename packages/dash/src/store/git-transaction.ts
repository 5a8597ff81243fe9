import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import { type Git, GitFailure } from './git-command.ts';
import { pathFromRoot, type RepositoryLocation } from './repository-location.ts';
import { externalRevision } from './revision.ts';

const REGULAR_FILE = '100644';
const ATTEMPTS = 40;
const PAUSE_MS = 50;

/** What the branch holds at one path. */
export interface CommittedFile {
  /** The commit that HEAD names; undefined before the first one. */
  readonly head: string | undefined;
  /** The newest commit that touched the path. */
  readonly commit: string | undefined;
  readonly blob: string | undefined;
  readonly bytes: Buffer | undefined;
}

/** A commit object that no branch holds yet, and the blob in it. */
interface BuiltCommit {
  readonly commit: string;
  readonly blob: string | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly message: string;
}

/** The newest commit of each path, as long as HEAD stays where it is. */
export type NewestCommits = Map<string, { readonly head: string; readonly commit: string | undefined }>;

interface TransactionParts {
  readonly git: Git;
  readonly location: RepositoryLocation;
  /** From the top of the work tree. */
  readonly path: string;
  readonly newest: NewestCommits;
  readonly clock: Clock;
}

/**
 * One read, or one commit, of one path. HEAD, the blob and the index entry are read once and handed down; a commit
 * touches its own path only, so that what other people have staged stays staged and out of it.
 */
export class GitTransaction {
  readonly #git: Git;
  readonly #location: RepositoryLocation;
  readonly #path: string;
  readonly #newest: NewestCommits;
  readonly #clock: Clock;
  #committed: CommittedFile | undefined;

  constructor({ git, location, path, newest, clock }: TransactionParts) {
    this.#git = git;
    this.#location = location;
    this.#path = path;
    this.#newest = newest;
    this.#clock = clock;
  }

  /** What the branch holds at the path: read once, and again after the branch moved. */
  async committed(): Promise<CommittedFile> {
    this.#committed ??= await this.#read();
    return this.#committed;
  }

  /** The newest commit while the work tree, with these bytes, holds what it committed; otherwise a token of the bytes. */
  async revisionOf(workTree: Uint8Array): Promise<string> {
    const { commit, bytes } = await this.committed();
    return commit !== undefined && bytes?.equals(workTree) ? commit : externalRevision(workTree);
  }

  /** The index entry of the path as `mode hash stage`; empty when it has none. */
  async indexEntry(): Promise<string> {
    const path = pathFromRoot(this.#location, this.#path);
    const line = await this.#git.read(['ls-files', '--stage', '--full-name', '-z', '--', path]);
    return line.split('\t')[0] ?? '';
  }

  /** Puts an index entry back that {@link indexEntry} gave. */
  async restoreIndexEntry(entry: string): Promise<void> {
    await this.#updateIndex(entry === '' ? this.#entryOf(undefined) : `${entry}\t${this.#path}\0`);
  }

  /** Stages what the branch holds at the path. */
  async stageCommitted(): Promise<void> {
    await this.#updateIndex(this.#entryOf((await this.committed()).blob));
  }

  /** Writes blob, trees and commit, on the commit that HEAD names. No branch and no index changes. */
  async build(bytes: Uint8Array | undefined, message: string): Promise<BuiltCommit> {
    const { head } = await this.committed();
    const result = await this.#git.run(['fast-import', '--quiet', '--done', '--date-format=now'], {
      stdin: importStream({ path: this.#path, head, bytes, message, committer: await this.#committer() }),
    });
    if (result.status !== 0) {
      const report = join(this.#location.gitDirectory, `fast_import_crash_${result.pid}`);
      await unlink(report).catch(() => undefined);
      throw new GitFailure(result.stderr);
    }
    const [commit = '', blob] = result.stdout.toString().trimEnd().split('\n');
    return { commit, blob, bytes, message };
  }

  /**
   * Stages the blob of a built commit and moves the branch to the commit, from the commit that it was built on. When
   * another program moved the branch, the commit is built again on top of its commit.
   * @param isCurrent called with the newest commit of the path after the branch moved; false gives up.
   * @returns the hash of the commit; undefined when `isCurrent` returned false.
   */
  async publish(
    built: BuiltCommit,
    isCurrent: (commit: string | undefined) => boolean = () => true,
  ): Promise<string | undefined> {
    await this.#updateIndex(this.#entryOf(built.blob));
    let next = built;
    for (let attempt = 1; ; attempt++) {
      const { head } = await this.committed();
      const subject = next.message.split('\n')[0] ?? '';
      const from = head ?? this.#location.noObject;
      const moved = await this.#git.run(['update-ref', '-m', subject, 'HEAD', next.commit, from]);
      if (moved.status === 0) {
        this.#remember(next);
        return next.commit;
      }
      if (attempt === ATTEMPTS) throw new GitFailure(moved.stderr);
      await pause(this.#clock, PAUSE_MS);
      this.#committed = undefined;
      if (!isCurrent((await this.committed()).commit)) return undefined;
      next = await this.build(built.bytes, built.message);
    }
  }

  #remember({ commit, blob, bytes }: BuiltCommit): void {
    this.#newest.set(this.#path, { head: commit, commit });
    this.#committed = { head: commit, commit, blob, bytes: bytes && Buffer.from(bytes) };
  }

  async #read(): Promise<CommittedFile> {
    const { head, blob, bytes } = await this.#readHead();
    if (head === undefined) return { head, commit: undefined, blob, bytes };
    return { head, commit: await this.#newestCommit(head), blob, bytes };
  }

  /** HEAD and the blob in it, by one process that reads HEAD twice: it may move in between. */
  async #readHead(): Promise<Omit<CommittedFile, 'commit'>> {
    const head = 'info HEAD^{commit}\n';
    const stdin = `${head}contents HEAD:${this.#path}\n${head}`;
    for (;;) {
      const [before, blob, after] = readObjects(
        await this.#git.readBytes(['cat-file', '--batch-command'], { stdin }),
      );
      if (before?.hash !== after?.hash) continue;
      return { head: before?.hash, blob: blob?.hash, bytes: blob?.bytes };
    }
  }

  async #newestCommit(head: string): Promise<string | undefined> {
    const cached = this.#newest.get(this.#path);
    if (cached?.head === head) return cached.commit;
    const path = pathFromRoot(this.#location, this.#path);
    const commit = (await this.#git.read(['rev-list', '-1', head, '--', path])) || undefined;
    this.#newest.set(this.#path, { head, commit });
    return commit;
  }

  /** `--index-info` line: the entry of a blob, or the removal of the path. */
  #entryOf(blob: string | undefined): string {
    const entry = blob === undefined ? `0 ${this.#location.noObject}` : `${REGULAR_FILE} ${blob}`;
    return `${entry}\t${this.#path}\0`;
  }

  /** Another git command may hold the index for a moment. */
  async #updateIndex(stdin: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.#git.run(['update-index', '-z', '--index-info'], { stdin });
      if (result.status === 0) return;
      if (attempt === ATTEMPTS || !/index\.lock/.test(result.stderr)) throw new GitFailure(result.stderr);
      await pause(this.#clock, PAUSE_MS);
    }
  }

  /** Name and mail address of the committer, each missing part filled in. */
  async #committer(): Promise<string> {
    const { stdout } = await this.#git.run(['config', '-z', '--get-regexp', '^user\\.(name|email)$']);
    const settings = new Map(
      stdout
        .toString()
        .split('\0')
        .map(entry => entry.split('\n', 2) as [string, string | undefined]),
    );
    const setting = (name: string) => (settings.get(name) ?? '').replace(/[<>\p{Cc}]/gu, '').trim();
    return `${setting('user.name') || 'dash'} <${setting('user.email') || 'dash@localhost'}>`;
  }
}

interface ImportedCommit {
  readonly path: string;
  readonly head: string | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly message: string;
  readonly committer: string;
}

/**
 * Input of `git fast-import` for one commit of one path. The branch that it needs a name for is reset before the end, so
 * none is written. The answer is the hash of the commit and, on a second line, of the blob.
 */
function importStream({ path, head, bytes, message, committer }: ImportedCommit): Buffer {
  const branch = `refs/dash/${randomBytes(6).toString('hex')}`;
  const quoted = `"${path.replace(/["\\]/g, '\\$&')}"`;
  const change = bytes === undefined ? `D ${quoted}` : `M ${REGULAR_FILE} :2 ${quoted}`;
  return Buffer.concat(
    [
      ...(bytes === undefined ? [] : ['blob\nmark :2\n', ...dataOf(bytes)]),
      `commit ${branch}\nmark :1\ncommitter ${committer} now\n`,
      ...dataOf(Buffer.from(message)),
      head === undefined ? '' : `from ${head}\n`,
      `${change}\n\nget-mark :1\n${bytes === undefined ? '' : 'get-mark :2\n'}reset ${branch}\n\ndone\n`,
    ].map(part => Buffer.from(part)),
  );
}

function dataOf(bytes: Uint8Array): (string | Uint8Array)[] {
  return [`data ${bytes.byteLength}\n`, bytes, '\n'];
}

interface ObjectAnswer {
  readonly hash: string;
  /** Of `contents`; undefined for `info`. */
  readonly bytes?: Buffer;
}

/** Answers of `cat-file --batch-command` to `info`, `contents`, `info`; undefined for an object that does not exist. */
function readObjects(output: Buffer): (ObjectAnswer | undefined)[] {
  const answers: (ObjectAnswer | undefined)[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at);
    const [, hash, size] = /^([0-9a-f]+) \S+ (\d+)$/.exec(output.toString('utf8', at, end)) ?? [];
    at = end + 1;
    if (hash === undefined) answers.push(undefined);
    else if (answers.length !== 1) answers.push({ hash });
    else {
      answers.push({ hash, bytes: output.subarray(at, at + Number(size)) });
      at += Number(size) + 1;
    }
  }
  return answers;
}
