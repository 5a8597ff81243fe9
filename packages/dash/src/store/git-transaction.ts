import type { Clock } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import type { Committer } from './committer.ts';
import type { GitBranch } from './git-branch.ts';
import { type Git, GitFailure } from './git-command.ts';
import { GitIndex } from './git-index.ts';
import { type GitObject, GitObjects } from './git-objects.ts';
import type { GitReader } from './git-reader.ts';
import type { GitWriter } from './git-writer.ts';
import type { NewestCommits } from './newest-commits.ts';
import { pathFromRoot, type RepositoryLocation } from './repository-location.ts';
import { externalRevision } from './revision.ts';

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

/** The objects of a commit that no branch holds yet. */
export interface BuiltCommit {
  readonly commit: string;
  readonly blob: string | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly message: string;
  readonly objects: readonly GitObject[];
}

/** What the transactions of one repository share. */
export interface RepositoryParts {
  readonly git: Git;
  readonly reader: GitReader;
  readonly writer: GitWriter;
  readonly branch: GitBranch;
  readonly committer: Committer;
  readonly location: RepositoryLocation;
  readonly newest: NewestCommits;
  readonly clock: Clock;
}

/**
 * One read, or one commit, of one path. HEAD and the blob are read once and handed down; a commit touches its own path
 * only, so that what other people have staged stays staged and out of it.
 */
export class GitTransaction {
  readonly index: GitIndex;
  readonly #git: Git;
  readonly #reader: GitReader;
  readonly #writer: GitWriter;
  readonly #branch: GitBranch;
  readonly #committer: Committer;
  readonly #location: RepositoryLocation;
  readonly #path: string;
  readonly #newest: NewestCommits;
  readonly #clock: Clock;
  readonly #objects: GitObjects;
  #committed: CommittedFile | undefined;

  /** @param path From the top of the work tree. */
  constructor(parts: RepositoryParts, path: string) {
    const { git, location, clock } = parts;
    this.#git = git;
    this.#reader = parts.reader;
    this.#writer = parts.writer;
    this.#branch = parts.branch;
    this.#committer = parts.committer;
    this.#location = location;
    this.#path = path;
    this.#newest = parts.newest;
    this.#clock = clock;
    this.#objects = new GitObjects(location.noObject);
    this.index = new GitIndex(git, location, path, clock);
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

  /** Makes blob, trees and commit, on the commit that HEAD names. Nothing is written. */
  async build(bytes: Uint8Array | undefined, message: string): Promise<BuiltCommit> {
    const { head } = await this.committed();
    const blob = bytes && this.#objects.blob(bytes);
    const trees = this.#objects.trees(this.#path, blob?.hash, await this.#treesOf(head));
    const root = trees.at(-1) ?? trees[0];
    const commit = this.#objects.commit(root.hash, head, await this.#committer.signature(), message);
    const objects = [...(blob === undefined ? [] : [blob]), ...trees, commit];
    return { commit: commit.hash, blob: blob?.hash, bytes, message, objects };
  }

  /** Writes the objects of a commit. No branch and no index changes. */
  async write({ objects }: BuiltCommit): Promise<void> {
    await Promise.all(objects.map(object => this.#writer.write(object)));
  }

  /**
   * Moves the branch to a written commit, from the commit that it was built on. When another program moved the branch,
   * the commit is built again on top of its commit.
   * @param isCurrent called with the newest commit of the path after the branch moved; false gives up.
   * @returns the hash of the commit; undefined when `isCurrent` returned false.
   */
  async publish(
    built: BuiltCommit,
    isCurrent: (commit: string | undefined) => boolean = () => true,
  ): Promise<string | undefined> {
    let next = built;
    for (let attempt = 1; ; attempt++) {
      const { head } = await this.committed();
      const subject = next.message.split('\n')[0] ?? '';
      const from = head ?? this.#location.noObject;
      try {
        await this.#branch.move(from, next.commit, subject);
        this.#remember(head, next);
        return next.commit;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
      }
      await pause(this.#clock, PAUSE_MS);
      this.#committed = undefined;
      // A process that was killed may have moved the branch before it could say so.
      if ((await this.committed()).head === next.commit) return next.commit;
      if (!isCurrent((await this.committed()).commit)) return undefined;
      next = await this.build(built.bytes, built.message);
      await this.write(next);
    }
  }

  #remember(head: string | undefined, { commit, blob, bytes }: BuiltCommit): void {
    this.#newest.advance(head, commit, this.#path);
    this.#committed = { head: commit, commit, blob, bytes: bytes && Buffer.from(bytes) };
  }

  /** HEAD is read twice: it may move in between. */
  async #read(): Promise<CommittedFile> {
    for (;;) {
      const [before, blob, head] = await Promise.all([
        this.#reader.hashOf('HEAD^{commit}'),
        this.#reader.contents(`HEAD:${this.#path}`),
        this.#reader.hashOf('HEAD^{commit}'),
      ]);
      if (before !== head) continue;
      const commit = head === undefined ? undefined : await this.#newestCommit(head);
      return { head, commit, blob: blob?.hash, bytes: blob?.bytes };
    }
  }

  async #newestCommit(head: string): Promise<string | undefined> {
    const path = pathFromRoot(this.#location, this.#path);
    return this.#newest.find(
      head,
      this.#path,
      async () => (await this.#git.read(['rev-list', '-1', head, '--', path])) || undefined,
    );
  }

  /** Content of the trees from the root to the folder of the path; undefined for a folder without a commit. */
  async #treesOf(head: string | undefined): Promise<(Buffer | undefined)[]> {
    if (head === undefined) return [];
    const folders = this.#path.split('/').slice(0, -1);
    const names = [
      `${head}^{tree}`,
      ...folders.map((_folder, at) => `${head}:${folders.slice(0, at + 1).join('/')}`),
    ];
    const [root, ...inner] = await Promise.all(names.map(name => this.#treeAt(name)));
    if (root === undefined) throw new GitFailure('the tree of HEAD cannot be read');
    return [root, ...inner];
  }

  /** Undefined where a file has the name: it gives way to a folder. */
  async #treeAt(name: string): Promise<Buffer | undefined> {
    const object = await this.#reader.contents(name);
    return object?.kind === 'tree' ? object.bytes : undefined;
  }
}
