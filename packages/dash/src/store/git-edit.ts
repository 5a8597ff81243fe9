import { defined } from '@msg/foundation/json';
import { commitMessage } from './commit-message.ts';
import { ioFailure, notFound, revisionConflict, type SaveOptions } from './contract.ts';
import { withGitErrors } from './git-command.ts';
import type { GitRepository } from './git-repository.ts';
import type { GitTransaction } from './git-transaction.ts';
import type { Lease } from './lock-manager.ts';
import { isExternal } from './revision.ts';

/** The file of one document in the work tree. */
export interface EditedFile {
  readonly id: string;
  exists(): Promise<boolean>;
  read(): Promise<Uint8Array>;
  /** @throws DashError STORAGE_IO for a file that is never written. */
  requireWritable(): Promise<void>;
  write(bytes: Uint8Array): Promise<void>;
  /** Writes back what the file held; `undefined` removes it. */
  restore(before: Uint8Array | undefined): Promise<void>;
  remove(): Promise<void>;
  /** @throws DashError STORAGE_EXISTS, CHANGESET_REVISION_CONFLICT when the document is not as `options` expect it. */
  checkPrecondition(options: SaveOptions, revision: () => Promise<string>): Promise<void>;
}

/** What an edit works with. */
export interface EditParts {
  readonly repository: GitRepository;
  readonly transaction: GitTransaction;
  readonly file: EditedFile;
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

/** One save or deletion under the lock of the repository: the file, the index and the branch change together or not at all. */
export class GitEdit {
  readonly #repository: GitRepository;
  readonly #transaction: GitTransaction;
  readonly #file: EditedFile;
  readonly #lease: Lease;

  constructor({ repository, transaction, file, lease }: EditParts) {
    this.#repository = repository;
    this.#transaction = transaction;
    this.#file = file;
    this.#lease = lease;
  }

  /** Commits the bytes. @returns the revision */
  async save(bytes: Uint8Array, options: SaveOptions): Promise<string> {
    const { id } = this.#file;
    await this.#requireNoOperation();
    const stored = (await this.#file.exists()) ? await this.#file.read() : undefined;
    await this.#file.checkPrecondition(options, () =>
      withGitErrors('load', id, () => this.#transaction.revisionOf(stored ?? new Uint8Array())),
    );
    await this.#file.requireWritable();
    const base = stored && (await this.#recordExternalEdit(stored));
    if (base !== undefined && Buffer.from(bytes).equals(stored as Uint8Array)) return base;
    return this.#commit({
      ...defined({ expected: options.expectedRevision }),
      before: stored,
      after: bytes,
      message: commitMessage(
        options.message ?? `Save dashboard ${id}`,
        options.summary,
        base,
        options.trailers,
      ),
      apply: () => this.#file.write(bytes),
    });
  }

  /** Commits the removal of the file. @returns the revision */
  async delete({ trailers }: SaveOptions): Promise<string> {
    const { id } = this.#file;
    await this.#requireNoOperation();
    if (!(await this.#file.exists())) throw notFound(id);
    const stored = await this.#file.read();
    const base = await this.#recordExternalEdit(stored);
    return this.#commit({
      before: stored,
      after: undefined,
      message: commitMessage(`Delete dashboard ${id}`, [], base, trailers),
      apply: () => this.#file.remove(),
    });
  }

  /** Writes the commit, changes the file, moves the branch; when that fails, file and index are as before. */
  async #commit(change: FileChange): Promise<string> {
    const { id } = this.#file;
    const transaction = this.#transaction;
    return withGitErrors('commit', id, async () => {
      const { commit: base } = await transaction.committed();
      const built = await transaction.build(change.after, change.message);
      transaction.index.keep();
      this.#lease.check();
      try {
        // The branch moves last: until then nothing of this is committed, in whatever order it is done.
        const steps = [transaction.write(built), change.apply(), transaction.index.stage(built.blob)];
        await allOf(steps);
        const isCurrent = (commit: string | undefined) => change.expected === undefined || commit === base;
        const revision = await transaction.publish(built, isCurrent);
        if (revision !== undefined) return revision;
      } catch (error) {
        await this.#file.restore(change.before);
        await transaction.index.restore().catch(() => undefined);
        throw error;
      } finally {
        transaction.index.forget();
      }
      // Another program committed the document past the lock: its commit stays.
      const { commit = '', bytes, blob } = await transaction.committed();
      await this.#file.restore(bytes);
      await transaction.index.stage(blob);
      throw revisionConflict(id, change.expected ?? '', commit);
    });
  }

  /** Commits an external edit of the file alone, so that history separates it from the edit of this store. */
  async #recordExternalEdit(bytes: Uint8Array): Promise<string> {
    const { id } = this.#file;
    const transaction = this.#transaction;
    return withGitErrors('commit', id, async () => {
      const revision = await transaction.revisionOf(bytes);
      if (!isExternal(revision)) return revision;
      const built = await transaction.build(bytes, `Record outside edit of ${id}\n`);
      await allOf([transaction.write(built), transaction.index.stage(built.blob)]);
      return (await transaction.publish(built)) ?? revision;
    });
  }

  async #requireNoOperation(): Promise<void> {
    const reason = await this.#repository.operationUnderWay();
    if (reason !== undefined) throw ioFailure('commit', reason, this.#file.id);
  }
}

/** Waits for every step, also after one has failed: nothing runs on while its failure is repaired. */
async function allOf(steps: readonly Promise<void>[]): Promise<void> {
  const failure = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}
