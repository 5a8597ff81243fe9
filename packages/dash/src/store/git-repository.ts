import { readdir } from 'node:fs/promises';
import type { Clock } from '@msg/foundation/clock';
import { Committer } from './committer.ts';
import { GitBranch } from './git-branch.ts';
import { Git } from './git-command.ts';
import { GitHistory } from './git-history.ts';
import { GitReader } from './git-reader.ts';
import { GitTransaction, type RepositoryParts } from './git-transaction.ts';
import { GitWriter } from './git-writer.ts';
import { NewestCommits } from './newest-commits.ts';
import type { RepositoryLocation } from './repository-location.ts';

const OPERATIONS_UNDER_WAY = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
];

/** One repository, addressed by paths from the top of its work tree. */
export class GitRepository {
  readonly location: RepositoryLocation;
  readonly history: GitHistory;
  readonly #parts: RepositoryParts;

  constructor(root: string, location: RepositoryLocation, clock: Clock, program?: string) {
    const git = new Git(root, program);
    const reader = new GitReader(git, clock);
    this.location = location;
    this.history = new GitHistory(git, reader);
    this.#parts = {
      git,
      reader,
      writer: new GitWriter(git, location.gitDirectory, clock),
      branch: new GitBranch(git, clock),
      committer: new Committer(git, clock),
      newest: new NewestCommits(),
      location,
      clock,
    };
  }

  /** A read or a commit of `path` that begins now. */
  transaction(path: string): GitTransaction {
    return new GitTransaction(this.#parts, path);
  }

  /** Bytes of `path` in `commit`, undefined when it is not there. */
  async bytesAt(commit: string, path: string): Promise<Uint8Array | undefined> {
    return (await this.#parts.reader.contents(`${commit}:${path}`))?.bytes;
  }

  /** Why nothing may be committed now: a merge, rebase or cherry-pick is under way. */
  async operationUnderWay(): Promise<string | undefined> {
    const present = new Set(await readdir(this.location.gitDirectory).catch(() => []));
    const name = OPERATIONS_UNDER_WAY.find(operation => present.has(operation));
    return name && `${name} is present: an operation of git is under way`;
  }
}
