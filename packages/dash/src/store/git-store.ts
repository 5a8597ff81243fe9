import { access, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { flushDirectory, replaceFile, writableMode } from './atomic-file.ts';
import {
  asIoFailure,
  type Capability,
  errnoOf,
  type HistoryEntry,
  ioFailure,
  notFound,
  type SaveOptions,
} from './contract.ts';
import { requireSafeId } from './document-id.ts';
import type { Hold } from './exclusive.ts';
import { contentRevision, FileStore, type FileStoreOptions } from './file-store.ts';
import { asGitFailure } from './git-command.ts';
import { GitRepository, initialise, locate } from './git-repository.ts';

const OUTSIDE_PREFIX = 'wt-';

export interface GitStoreOptions extends FileStoreOptions {
  /** The git program; `git` from the search path unless told. */
  readonly program?: string;
}

/**
 * The `git` store: the files of the `fs` store in a work tree, one commit per save, commit hashes as revisions
 * (dashboard details 12.4). Reads come from the work tree, so an edit by hand is seen at once.
 */
export class GitStore extends FileStore {
  override readonly kind = 'git';
  override readonly capabilities: ReadonlySet<Capability> = new Set(['revisions', 'history']);
  private readonly program: string | undefined;
  private found: GitRepository | undefined;

  constructor(options: GitStoreOptions) {
    super(options);
    this.program = options.program;
  }

  override async history(id: string): Promise<HistoryEntry[]> {
    requireSafeId(id);
    const entries = await this.speaking('history', id, async () => {
      const repository = await this.repository();
      return repository?.log(this.repositoryPath(repository, id));
    });
    if (entries === undefined || entries.length === 0) throw notFound(id);
    return entries;
  }

  override async loadAt(id: string, revision: string): Promise<Uint8Array> {
    requireSafeId(id);
    const bytes = await this.speaking('history', id, async () => {
      const repository = await this.repository();
      const commit = await repository?.commitNamed(revision);
      if (repository === undefined || commit === undefined) return undefined;
      return repository.bytesAt(commit, this.repositoryPath(repository, id));
    });
    if (bytes !== undefined) return bytes;
    if (!revision.startsWith(OUTSIDE_PREFIX)) throw notFound(id, revision);
    const current = await this.load(id);
    if (current.revision !== revision) throw notFound(id, revision);
    return current.bytes;
  }

  override async makeRoot(id: string): Promise<void> {
    await super.makeRoot(id);
    await this.speaking('save', id, async () => {
      if ((await this.repository()) !== undefined) return;
      // No document has an id with a leading dot, so this lock is nobody else's.
      await this.locks.run(join(this.root, '.dash-lock-.init'), id, async () => {
        if ((await this.repository()) === undefined) await initialise(this.root, this.program);
      });
    });
  }

  /** The newest commit's hash while the work tree holds its bytes; otherwise a token of the bytes. */
  protected override async revisionOf(id: string, bytes: Uint8Array): Promise<string> {
    return this.speaking('load', id, async () => {
      const repository = await this.repository();
      const outside = OUTSIDE_PREFIX + contentRevision(bytes);
      if (repository === undefined) return outside;
      const path = this.repositoryPath(repository, id);
      const commit = await repository.newestCommit(path);
      const committed = commit === undefined ? undefined : await repository.bytesAt(commit, path);
      return commit !== undefined && committed !== undefined && Buffer.from(bytes).equals(committed)
        ? commit
        : outside;
    });
  }

  /** One lock per repository: all commits share its branch and index. */
  protected override async underLock<T>(id: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    const repository = await this.speaking('lock', id, () => this.repository());
    // Documents that were never committed: the first save makes the repository.
    if (repository === undefined) {
      if (!(await this.exists(id))) throw notFound(id);
      await this.makeRoot(id);
      return this.underLock(id, work);
    }
    return this.locks.run(join(repository.location.gitDirectory, '.dash-lock-repository'), id, work);
  }

  protected override async write(
    id: string,
    bytes: Uint8Array,
    options: SaveOptions,
    hold: Hold,
  ): Promise<string> {
    const repository = await this.committable(id);
    await this.checkPrecondition(id, options);
    await writableMode(this.root, this.fileName(id), id);
    const before = await this.recordOutsideEdit(repository, id);
    if (before !== undefined && Buffer.from(before.bytes).equals(bytes)) return before.revision;
    await hold.check();
    const message = commitMessage(
      options.message ?? `Save dashboard ${id}`,
      options.summary,
      before?.revision,
    );
    return this.commitChange(repository, id, before?.bytes, message, {
      bytes,
      apply: () => replaceFile(this.root, this.fileName(id), bytes, id, this.files),
    });
  }

  protected override async remove(id: string, hold: Hold): Promise<void> {
    const repository = await this.committable(id);
    const before = await this.recordOutsideEdit(repository, id);
    if (before === undefined) throw notFound(id);
    await hold.check();
    const message = commitMessage(`Delete dashboard ${id}`, [], before.revision);
    await this.commitChange(repository, id, before.bytes, message, {
      bytes: undefined,
      apply: () => this.removeFile(id),
    });
  }

  /** Changes the file, then commits it; when the commit fails, file and index are as before. */
  private async commitChange(
    repository: GitRepository,
    id: string,
    before: Uint8Array | undefined,
    message: string,
    change: { bytes: Uint8Array | undefined; apply: () => Promise<void> },
  ): Promise<string> {
    const path = this.repositoryPath(repository, id);
    return this.speaking('commit', id, async () => {
      const entry = await repository.indexEntry(path);
      await change.apply();
      try {
        await repository.stage(path, change.bytes);
        return await repository.commitFile({ path, bytes: change.bytes, message });
      } catch (error) {
        await this.putBack(id, before);
        await repository.restoreIndexEntry(path, entry).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Commits what somebody else wrote into the file on its own, so that history tells it from our edit. */
  private async recordOutsideEdit(
    repository: GitRepository,
    id: string,
  ): Promise<{ bytes: Uint8Array; revision: string } | undefined> {
    if (!(await this.exists(id))) return undefined;
    const bytes = await this.readBytes(id);
    const revision = await this.revisionOf(id, bytes);
    if (!revision.startsWith(OUTSIDE_PREFIX)) return { bytes, revision };
    const path = this.repositoryPath(repository, id);
    const message = `Record outside edit of ${id}\n`;
    const recorded = await this.speaking('commit', id, async () => {
      await repository.stage(path, bytes);
      return repository.commitFile({ path, bytes, message });
    });
    return { bytes, revision: recorded };
  }

  private async committable(id: string): Promise<GitRepository> {
    const repository = await this.speaking('commit', id, () => this.repository());
    if (repository === undefined) throw ioFailure('commit', 'the repository is gone', id);
    const reason = await repository.operationUnderWay();
    if (reason !== undefined) throw ioFailure('commit', reason, id);
    return repository;
  }

  private async putBack(id: string, before: Uint8Array | undefined): Promise<void> {
    if (before === undefined) await this.removeFile(id).catch(() => undefined);
    else await replaceFile(this.root, this.fileName(id), before, id);
  }

  private async removeFile(id: string): Promise<void> {
    try {
      await unlink(this.pathOf(id));
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? notFound(id) : asIoFailure(error, 'delete', id);
    }
    await flushDirectory(this.root);
  }

  /** The repository around the root, looked up until there is one. */
  private async repository(): Promise<GitRepository | undefined> {
    if (this.found !== undefined) return this.found;
    if (!(await this.hasRoot())) return undefined;
    const location = await locate(this.root, this.program);
    if (location !== undefined) this.found = new GitRepository(this.root, location, this.program);
    return this.found;
  }

  private async hasRoot(): Promise<boolean> {
    return access(this.root).then(
      () => true,
      () => false,
    );
  }

  private repositoryPath(repository: GitRepository, id: string): string {
    return repository.location.prefix + this.fileName(id);
  }

  private async speaking<T>(operation: string, id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asGitFailure(error, operation, id);
    }
  }
}

/** Subject, one line per operation, and the revision that the edit was made on. */
function commitMessage(subject: string, summary: readonly string[] = [], base?: string): string {
  const body = summary.map(visible).join('\n');
  const trailer = base === undefined ? '' : `Dash-Base-Revision: ${base}`;
  return `${[visible(subject), body, trailer].filter(Boolean).join('\n\n')}\n`;
}

/** Control characters as `\uXXXX`: a pointer cannot add lines to a commit message. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
