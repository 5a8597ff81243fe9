import { randomBytes } from 'node:crypto';
import { access, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { HistoryEntry } from './contract.ts';
import { Git, GitFailure } from './git-command.ts';

const REGULAR_FILE = '100644';
const OPERATIONS_UNDER_WAY = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
];
const ATTEMPTS = 40;
const PAUSE_MS = 50;

/** Where a root lies in its repository. */
export interface Location {
  /** The repository's private directory; of a linked work tree its own one. */
  readonly gitDirectory: string;
  /** Path from the work tree's top to the root: empty, or ending in `/`. */
  readonly prefix: string;
  /** Zeros as long as the repository's hashes: git's name for no object. */
  readonly noObject: string;
}

/** A commit of one file: its new bytes, or undefined to remove it. */
export interface FileCommit {
  readonly path: string;
  readonly bytes: Uint8Array | undefined;
  readonly message: string;
}

/** The work tree that holds `root`; undefined when there is none. */
export async function locate(root: string, program?: string): Promise<Location | undefined> {
  const result = await new Git(root, program).run([
    'rev-parse',
    ...['--is-inside-work-tree', '--absolute-git-dir', '--show-prefix', '--show-object-format'],
  ]);
  if (result.status !== 0) {
    if (/not a git repository/i.test(result.stderr)) return undefined;
    throw new GitFailure(result.stderr);
  }
  const [inside, gitDirectory = '', prefix = '', format] = result.stdout.toString().split('\n');
  if (inside !== 'true') throw new GitFailure('the root lies inside the private directory of a repository');
  return { gitDirectory, prefix, noObject: '0'.repeat(format === 'sha256' ? 64 : 40) };
}

/** Makes `root` the work tree of a new repository. */
export async function initialise(root: string, program?: string): Promise<void> {
  await new Git(root, program).read(['init', '--quiet', '--initial-branch=main']);
}

/** One repository, addressed by paths from the top of its work tree. */
export class GitRepository {
  readonly location: Location;
  private readonly git: Git;

  constructor(root: string, location: Location, program?: string) {
    this.git = new Git(root, program);
    this.location = location;
  }

  /** Hash of the newest commit that touched `path`, undefined when none did. */
  async newestCommit(path: string): Promise<string | undefined> {
    if ((await this.head()) === undefined) return undefined;
    const hash = await this.git.read(['log', '-1', '--format=%H', '--', fromTop(this.location, path)]);
    return hash === '' ? undefined : hash;
  }

  /** Bytes of `path` in `commit`, undefined when it is not there. */
  async bytesAt(commit: string, path: string): Promise<Uint8Array | undefined> {
    const result = await this.git.run(['cat-file', 'blob', `${commit}:${path}`]);
    return result.status === 0 ? result.stdout : undefined;
  }

  /** Full hash of the one commit that `revision`, a whole or short hash, names. */
  async commitNamed(revision: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{4,64}$/.test(revision)) return undefined;
    const commit = `${revision}^{commit}`;
    const result = await this.git.run(['rev-parse', '--verify', '--quiet', '--end-of-options', commit]);
    return result.status === 0 ? result.stdout.toString().trim() : undefined;
  }

  /** Commits that touched `path`, newest first. */
  async log(path: string): Promise<HistoryEntry[]> {
    if ((await this.head()) === undefined) return [];
    const format = '--format=%H%n%an <%ae>%n%aI%n%B';
    const output = await this.git.read(['log', '-z', format, '--', fromTop(this.location, path)]);
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

  /**
   * Commits one file and nothing else: what other people have staged stays staged and out of the commit. The branch
   * moves only from the commit that the new one was built on; when somebody else moved it, the commit is built again.
   */
  async commitFile(change: FileCommit): Promise<string> {
    const blob = await this.storeBlob(change.bytes);
    for (let attempt = 1; ; attempt += 1) {
      const parent = await this.head();
      const commit = await this.buildCommit(change, blob, parent);
      const moved = await this.git.run([
        'update-ref',
        '-m',
        subjectOf(change.message),
        'HEAD',
        commit,
        parent ?? this.location.noObject,
      ]);
      if (moved.status === 0) return commit;
      if (attempt === ATTEMPTS) throw new GitFailure(moved.stderr);
      await elapse(PAUSE_MS);
    }
  }

  /** The index entry of `path` as `mode hash stage`; empty when it has none. */
  async indexEntry(path: string): Promise<string> {
    const line = await this.git.read([
      'ls-files',
      '--stage',
      '--full-name',
      '-z',
      '--',
      fromTop(this.location, path),
    ]);
    return line.split('\t')[0] ?? '';
  }

  /** Stages exactly these bytes, or the absence of the file. */
  async stage(path: string, bytes: Uint8Array | undefined): Promise<void> {
    await this.updateIndex(this.entryLine(await this.storeBlob(bytes), path));
  }

  /** Puts an index entry back that {@link indexEntry} gave. */
  async restoreIndexEntry(path: string, entry: string): Promise<void> {
    await this.updateIndex(entry === '' ? this.entryLine(undefined, path) : `${entry}\t${path}\0`);
  }

  /** `--index-info` line: the entry of a blob, or the removal of the path. */
  private entryLine(blob: string | undefined, path: string): string {
    const entry = blob === undefined ? `0 ${this.location.noObject}` : `${REGULAR_FILE} ${blob}`;
    return `${entry}\t${path}\0`;
  }

  /** Name and mail address of the committer, each missing part filled in. */
  private async identity(): Promise<Record<string, string>> {
    const { stdout } = await this.git.run(['config', '-z', '--get-regexp', '^user\\.(name|email)$']);
    const found = new Map(
      stdout
        .toString()
        .split('\0')
        .map(entry => splitOnce(entry, '\n')),
    );
    const name = found.get('user.name')?.trim() || 'dash';
    const email = found.get('user.email')?.trim() || 'dash@localhost';
    return {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
    };
  }

  private async head(): Promise<string | undefined> {
    const result = await this.git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    return result.status === 0 ? result.stdout.toString().trim() : undefined;
  }

  private async storeBlob(bytes: Uint8Array | undefined): Promise<string | undefined> {
    if (bytes === undefined) return undefined;
    return this.git.read(['hash-object', '-w', '--no-filters', '--stdin'], { stdin: bytes });
  }

  /** A commit object on `parent` with one path changed, built in an index of its own. */
  private async buildCommit(
    change: FileCommit,
    blob: string | undefined,
    parent: string | undefined,
  ): Promise<string> {
    const index = join(this.location.gitDirectory, `.dash-tmp-index-${randomBytes(6).toString('hex')}`);
    const env = { GIT_INDEX_FILE: index };
    try {
      if (parent !== undefined) await this.git.read(['read-tree', parent], { env });
      await this.git.read(['update-index', '-z', '--index-info'], {
        env,
        stdin: this.entryLine(blob, change.path),
      });
      const tree = await this.git.read(['write-tree'], { env });
      const parents = parent === undefined ? [] : ['-p', parent];
      const identity = await this.identity();
      return await this.git.read(['commit-tree', ...parents, '-F', '-', tree], {
        env: identity,
        stdin: change.message,
      });
    } finally {
      await unlink(index).catch(() => undefined);
    }
  }

  /** Another git command may hold the index for a moment. */
  private async updateIndex(stdin: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.git.run(['update-index', '-z', '--index-info'], { stdin });
      if (result.status === 0) return;
      if (attempt === ATTEMPTS || !/index\.lock/.test(result.stderr)) throw new GitFailure(result.stderr);
      await elapse(PAUSE_MS);
    }
  }
}

/** Pathspecs count from the directory git runs in; with literal pathspecs the way up is spelt out. */
function fromTop(location: Location, path: string): string {
  return path.slice(location.prefix.length);
}

function subjectOf(message: string): string {
  return splitOnce(message, '\n')[0];
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function readEntry(record: string): HistoryEntry {
  const [revision = '', author = '', timestamp = '', ...message] = record.split('\n');
  return { revision, message: message.join('\n').trimEnd(), author, timestamp };
}

function elapse(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, milliseconds);
  return promise;
}
