import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '@msg/foundation/json';
import { escapeControls } from '../document/display.ts';
import { replaceFile, writableMode } from './atomic-file.ts';
import {
  type Capability,
  type HistoryEntry,
  ioFailure,
  notFound,
  revisionConflict,
  type SaveOptions,
} from './contract.ts';
import { requireSafeId } from './document-id.ts';
import { FileStore, type FileStoreOptions, type LockedFile } from './file-store.ts';
import { asGitFailure } from './git-command.ts';
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

  override async history(id: string): Promise<HistoryEntry[]> {
    requireSafeId(id);
    const entries = await this.#withGitErrors('history', id, async () => {
      const repository = await this.#openRepository();
      return repository?.log(this.#repositoryPath(repository, id));
    });
    if (entries === undefined || entries.length === 0) throw notFound(id);
    return entries;
  }

  override async loadAt(id: string, revision: string): Promise<Uint8Array> {
    requireSafeId(id);
    const bytes = await this.#withGitErrors('history', id, async () => {
      const repository = await this.#openRepository();
      const commit = await repository?.commitNamed(revision);
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
    await this.#withGitErrors('save', id, async () => {
      if ((await this.#openRepository()) !== undefined) return;
      // No document has an id with a leading dot, so no document has this lock.
      await this.locks.withLock(join(this.root, '.dash-lock-.init'), id, async () => {
        if ((await this.#openRepository()) === undefined) await initialise(this.root, this.#program);
      });
    });
  }

  /** The newest commit's hash while the work tree holds its bytes; otherwise a token of the bytes. */
  protected override async revisionOf(id: string, bytes: Uint8Array): Promise<string> {
    return this.#withGitErrors('load', id, async () => {
      const repository = await this.#openRepository();
      return repository === undefined
        ? externalRevision(bytes)
        : this.#transaction(repository, id).revisionOf(bytes);
    });
  }

  /** One lock per repository: all commits share its branch and index. */
  protected override async underLock<T>(id: string, work: (document: LockedFile) => Promise<T>): Promise<T> {
    const repository = await this.#withGitErrors('lock', id, () => this.#openRepository());
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
    return {
      load: async () => {
        transaction = this.#transaction(repository, id);
        const bytes = await this.readBytes(id);
        return {
          bytes,
          revision: await this.#withGitErrors('load', id, () => transaction.revisionOf(bytes)),
        };
      },
      exists: () => this.exists(id),
      save: (bytes, options = {}) => this.#commitSave({ repository, transaction, id, lease }, bytes, options),
      delete: (options = {}) => this.#commitDelete({ repository, transaction, id, lease }, options),
    };
  }

  async #commitSave(edit: Edit, bytes: Uint8Array, options: SaveOptions): Promise<string> {
    const { repository, transaction, id } = edit;
    await requireNoOperation(repository, id);
    const stored = (await this.exists(id)) ? await this.readBytes(id) : undefined;
    await this.checkPrecondition(id, options, () =>
      this.#withGitErrors('load', id, () => transaction.revisionOf(stored ?? new Uint8Array())),
    );
    await writableMode(this.root, this.fileName(id), id);
    const base = stored && (await this.#recordExternalEdit(edit, stored));
    if (base !== undefined && Buffer.from(bytes).equals(stored as Uint8Array)) return base;
    return this.#commit(edit, {
      ...defined({ expected: options.expectedRevision }),
      before: stored,
      after: bytes,
      message: commitMessage(
        options.message ?? `Save dashboard ${id}`,
        options.summary,
        base,
        options.trailers,
      ),
      apply: () => replaceFile(this.root, this.fileName(id), bytes, id, this.files),
    });
  }

  async #commitDelete(edit: Edit, { trailers }: SaveOptions): Promise<string> {
    const { repository, id } = edit;
    await requireNoOperation(repository, id);
    if (!(await this.exists(id))) throw notFound(id);
    const stored = await this.readBytes(id);
    const base = await this.#recordExternalEdit(edit, stored);
    return this.#commit(edit, {
      before: stored,
      after: undefined,
      message: commitMessage(`Delete dashboard ${id}`, [], base, trailers),
      apply: () => this.removeFile(id),
    });
  }

  /** Writes the commit, changes the file, moves the branch; when that fails, file and index are as before. */
  async #commit({ transaction, id, lease }: Edit, change: FileChange): Promise<string> {
    return this.#withGitErrors('commit', id, async () => {
      const { commit: base } = await transaction.committed();
      const built = await transaction.build(change.after, change.message);
      await transaction.index.keep();
      await lease.check();
      try {
        // The branch moves last: until then nothing of this is committed, in whatever order it is done.
        const steps = [transaction.write(built), change.apply(), transaction.index.stage(built.blob)];
        await allOf(steps);
        const isCurrent = (commit: string | undefined) => change.expected === undefined || commit === base;
        const revision = await transaction.publish(built, isCurrent);
        if (revision !== undefined) return revision;
      } catch (error) {
        await this.#restoreFile(id, change.before);
        await transaction.index.restore().catch(() => undefined);
        throw error;
      } finally {
        await transaction.index.forget();
      }
      // Another program committed the document past the lock: its commit stays.
      const { commit = '', bytes, blob } = await transaction.committed();
      await this.#restoreFile(id, bytes);
      await transaction.index.stage(blob);
      throw revisionConflict(id, change.expected ?? '', commit);
    });
  }

  /** Commits an external edit of the file alone, so that history separates it from the edit of this store. */
  async #recordExternalEdit({ transaction, id }: Edit, bytes: Uint8Array): Promise<string> {
    return this.#withGitErrors('commit', id, async () => {
      const revision = await transaction.revisionOf(bytes);
      if (!isExternal(revision)) return revision;
      const built = await transaction.build(bytes, `Record outside edit of ${id}\n`);
      await allOf([transaction.write(built), transaction.index.stage(built.blob)]);
      return (await transaction.publish(built)) ?? revision;
    });
  }

  async #restoreFile(id: string, before: Uint8Array | undefined): Promise<void> {
    if (before === undefined) await this.removeFile(id).catch(() => undefined);
    else await replaceFile(this.root, this.fileName(id), before, id);
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

  async #withGitErrors<T>(operation: string, id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asGitFailure(error, operation, id);
    }
  }
}

/** One edit under the lock. */
interface Edit {
  readonly repository: GitRepository;
  readonly transaction: GitTransaction;
  readonly id: string;
  readonly lease: Lease;
}

interface FileChange {
  readonly before: Uint8Array | undefined;
  /** Undefined removes the file. */
  readonly after: Uint8Array | undefined;
  readonly message: string;
  /** Puts `after` into the work tree. */
  apply(): Promise<void>;
  /** Another commit of the file, made past the lock, is then a conflict. */
  readonly expected?: string;
}

async function requireNoOperation(repository: GitRepository, id: string): Promise<void> {
  const reason = await repository.operationUnderWay();
  if (reason !== undefined) throw ioFailure('commit', reason, id);
}

/** Waits for every step, also after one has failed: nothing runs on while its failure is repaired. */
async function allOf(steps: readonly Promise<void>[]): Promise<void> {
  const failure = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}

const LONGEST_TRAILER = 100;

/**
 * Subject, one line per operation, and trailers: the revision that the edit was made on, and what the commit says of
 * itself. Neither a pointer nor a value can add a line.
 */
function commitMessage(
  subject: string,
  summary: readonly string[] = [],
  base?: string,
  trailers: SaveOptions['trailers'] = {},
): string {
  const body = summary.map(escapeControls).join('\n');
  const further = Object.entries(trailers).map(([name, value]) => [name, trailerValue(value)]);
  const all = [...(base === undefined ? [] : [['Dash-Base-Revision', base]]), ...further];
  const lines = all.map(([name, value]) => `${name}: ${value}`).join('\n');
  return `${[escapeControls(subject), body, lines].filter(Boolean).join('\n\n')}\n`;
}

function trailerValue(value: string): string {
  const line = escapeControls(value).trim();
  return line.length <= LONGEST_TRAILER ? line : `${line.slice(0, LONGEST_TRAILER - 1).toWellFormed()}…`;
}
