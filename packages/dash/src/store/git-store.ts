import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, writableMode } from './atomic-file.ts';
import { type Capability, type HistoryEntry, type HistoryPart, notFound } from './contract.ts';
import { requireSafeId } from './document-id.ts';
import { FileStore, type FileStoreOptions, type LockedFile } from './file-store.ts';
import { withGitErrors } from './git-command.ts';
import { type EditedFile, GitEdit } from './git-edit.ts';
import { GitRepository } from './git-repository.ts';
import type { GitTransaction } from './git-transaction.ts';
import type { Lease } from './lock-manager.ts';
import { initialise, locate } from './repository-location.ts';
import { externalRevision, isExternal } from './revision.ts';

/** What a store in git is made with. */
export interface GitStoreOptions extends FileStoreOptions {
  /** The git program; by default `git` from the search path. */
  readonly program?: string;
}

/**
 * The `git` store: the files of the `fs` store in a work tree, one commit per save, commit hashes as revisions
 * (dashboard details 12.4). Reads come from the work tree, so an edit by hand is seen at once.
 */
export class GitStore extends FileStore {
  override readonly kind = 'git';
  override readonly capabilities: ReadonlySet<Capability> = new Set(['revisions', 'history']);
  readonly #program: string | undefined;
  #repository: GitRepository | undefined;

  constructor(options: GitStoreOptions) {
    super(options);
    this.#program = options.program;
  }

  override async history(id: string, part: HistoryPart = {}): Promise<HistoryEntry[]> {
    requireSafeId(id);
    const entries = await withGitErrors('history', id, async () => {
      const repository = await this.#openRepository();
      return repository?.history.log(this.fileName(id), part);
    });
    if (entries === undefined || (entries.length === 0 && !part.skip)) throw notFound(id);
    return entries;
  }

  override async entry(id: string, revision: string): Promise<HistoryEntry | undefined> {
    requireSafeId(id);
    return withGitErrors('history', id, async () => {
      const history = (await this.#openRepository())?.history;
      const commit = await history?.commitNamed(revision);
      return commit === undefined ? undefined : history?.entry(commit);
    });
  }

  override async newestEntries(): Promise<ReadonlyMap<string, HistoryEntry>> {
    const newest = new Map<string, HistoryEntry>();
    const files = await withGitErrors('list', undefined, async () =>
      (await this.#openRepository())?.history.newestEntries(),
    );
    for (const id of await this.list()) {
      const entry = files?.get(this.fileName(id));
      if (entry !== undefined) newest.set(id, entry);
    }
    return newest;
  }

  override async loadAt(id: string, revision: string): Promise<Uint8Array> {
    requireSafeId(id);
    const bytes = await withGitErrors('history', id, async () => {
      const repository = await this.#openRepository();
      const commit = await repository?.history.commitNamed(revision);
      if (repository === undefined || commit === undefined) return undefined;
      return repository.bytesAt(commit, this.#repositoryPath(repository, id));
    });
    if (bytes !== undefined) return bytes;
    if (!isExternal(revision)) throw notFound(id, revision);
    const current = await this.load(id);
    if (current.revision !== revision) throw notFound(id, revision);
    return current.bytes;
  }

  override async makeRoot(id: string): Promise<void> {
    await super.makeRoot(id);
    await withGitErrors('save', id, async () => {
      if ((await this.#openRepository()) !== undefined) return;
      // No document has an id with a leading dot, so no document has this lock.
      await this.locks.withLock(join(this.root, '.dash-lock-.init'), id, async () => {
        if ((await this.#openRepository()) === undefined) await initialise(this.root, this.#program);
      });
    });
  }

  /** The newest commit's hash while the work tree holds its bytes; otherwise a token of the bytes. */
  protected override async revisionOf(id: string, bytes: Uint8Array): Promise<string> {
    return withGitErrors('load', id, async () => {
      const repository = await this.#openRepository();
      return repository === undefined
        ? externalRevision(bytes)
        : this.#transaction(repository, id).revisionOf(bytes);
    });
  }

  /** One lock per repository: all commits share its branch and index. */
  protected override async underLock<T>(id: string, work: (document: LockedFile) => Promise<T>): Promise<T> {
    const repository = await withGitErrors('lock', id, () => this.#openRepository());
    // Documents that were never committed: the first save makes the repository.
    if (repository === undefined) {
      if (!(await this.exists(id))) throw notFound(id);
      await this.makeRoot(id);
      return this.underLock(id, work);
    }
    const path = join(repository.location.gitDirectory, '.dash-lock-repository');
    return this.locks.withLock(path, id, lease => work(this.#lockedFile(repository, id, lease)));
  }

  /** A load and the save after it are one transaction. */
  #lockedFile(repository: GitRepository, id: string, lease: Lease): LockedFile {
    let transaction = this.#transaction(repository, id);
    const file = this.#editedFile(id);
    const edit = () => new GitEdit({ repository, transaction, file, lease });
    return {
      load: async () => {
        transaction = this.#transaction(repository, id);
        const bytes = await this.readBytes(id);
        return {
          bytes,
          revision: await withGitErrors('load', id, () => transaction.revisionOf(bytes)),
        };
      },
      exists: () => this.exists(id),
      save: (bytes, options = {}) => edit().save(bytes, options),
      delete: (options = {}) => edit().delete(options),
    };
  }

  #editedFile(id: string): EditedFile {
    const name = this.fileName(id);
    return {
      id,
      exists: () => this.exists(id),
      read: () => this.readBytes(id),
      requireWritable: async () => {
        await writableMode(this.root, name, id);
      },
      write: bytes => replaceFile(this.root, name, bytes, id, this.files),
      restore: async before => {
        if (before === undefined) await this.removeFile(id).catch(() => undefined);
        else await replaceFile(this.root, name, before, id);
      },
      remove: () => this.removeFile(id),
      checkPrecondition: (options, revision) => this.checkPrecondition(id, options, revision),
    };
  }

  #transaction(repository: GitRepository, id: string): GitTransaction {
    return repository.transaction(this.#repositoryPath(repository, id));
  }

  /** The repository around the root; the lookup is repeated until it exists. */
  async #openRepository(): Promise<GitRepository | undefined> {
    if (this.#repository !== undefined) return this.#repository;
    if (!(await this.#hasRoot())) return undefined;
    const location = await locate(this.root, this.#program);
    if (location !== undefined)
      this.#repository = new GitRepository(this.root, location, this.clock, this.#program);
    return this.#repository;
  }

  async #hasRoot(): Promise<boolean> {
    return access(this.root).then(
      () => true,
      () => false,
    );
  }

  #repositoryPath(repository: GitRepository, id: string): string {
    return repository.location.prefix + this.fileName(id);
  }
}
