import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@msg/foundation/clock';
import { Committer } from './committer.ts';
import type { HistoryEntry } from './contract.ts';
import { Git } from './git-command.ts';
import { GitReader } from './git-reader.ts';
import { GitTransaction, type RepositoryParts } from './git-transaction.ts';
import { GitWriter } from './git-writer.ts';
import { NewestCommits } from './newest-commits.ts';
import { pathFromRoot, type RepositoryLocation } from './repository-location.ts';

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
  readonly #parts: RepositoryParts;

  constructor(root: string, location: RepositoryLocation, clock: Clock, program?: string) {
    const git = new Git(root, program);
    this.location = location;
    this.#parts = {
      git,
      reader: new GitReader(git, clock),
      writer: new GitWriter(git, location.gitDirectory, clock),
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

  /** Full hash of the one commit that `revision`, a whole or short hash, names. */
  async commitNamed(revision: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{4,64}$/.test(revision)) return undefined;
    const commit = `${revision}^{commit}`;
    const result = await this.#parts.git.run([
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      commit,
    ]);
    return result.status === 0 ? result.stdout.toString().trim() : undefined;
  }

  /** Commits that touched `path`, newest first. */
  async log(path: string): Promise<HistoryEntry[]> {
    if ((await this.#parts.reader.hashOf('HEAD^{commit}')) === undefined) return [];
    const format = '--format=%H%n%an <%ae>%n%aI%n%B';
    const output = await this.#parts.git.read(['log', '-z', format, '--', pathFromRoot(this.location, path)]);
    return output.split('\0').filter(Boolean).map(readEntry);
  }

  /** Why nothing may be committed now: a merge, rebase or cherry-pick is under way. */
  async operationUnderWay(): Promise<string | undefined> {
    for (const name of OPERATIONS_UNDER_WAY) {
      const present = await access(join(this.location.gitDirectory, name)).then(
        () => true,
        () => false,
      );
      if (present) return `${name} is present: an operation of git is under way`;
    }
    return undefined;
  }
}

function readEntry(record: string): HistoryEntry {
  const [revision = '', author = '', timestamp = '', ...message] = record.split('\n');
  return { revision, message: message.join('\n').trimEnd(), author, timestamp };
}
