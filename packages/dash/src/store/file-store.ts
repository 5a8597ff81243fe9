import { lstat, mkdir, readdir, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { type FileCalls, flushDirectory, readDocumentFile, replaceFile, systemFiles } from './atomic-file.ts';
import {
  asIoFailure,
  type Capability,
  type DocumentStore,
  errnoOf,
  type HistoryEntry,
  type HistoryPart,
  type LockedDocument,
  notFound,
  revisionConflict,
  type SaveOptions,
  type Snapshot,
  storageExists,
  unsupported,
} from './contract.ts';
import { requireSafeId, unsafeIdReason } from './document-id.ts';
import { watchFolder } from './folder-watch.ts';
import { type Lease, LOCK_WAIT_MS, LockManager } from './lock-manager.ts';
import { contentRevision } from './revision.ts';
import { readStored, requireMatchingId } from './stored-document.ts';

const SUFFIX = '.json';

/** What a store of files is made with. */
export interface FileStoreOptions {
  /** Directory that holds `<id>.json`; created by the first save. */
  readonly root: string;
  /** How long a writer waits for a lock, in milliseconds; 15,000 by default. */
  readonly lockWaitMs?: number;
  /** Time of locks and pauses; the system's by default. */
  readonly clock?: Clock;
  /** Injected faults, in tests. */
  readonly files?: FileCalls;
}

/** A document whose lock is held. The store that wrote it checked the bytes already. */
export interface LockedFile extends LockedDocument {
  save(bytes: Uint8Array, options?: SaveOptions): Promise<string>;
}

/** The `fs` store: one file per document, content hashes as revisions, no history (dashboard details 12.3). */
export class FileStore implements DocumentStore {
  readonly kind: string = 'fs';
  readonly capabilities: ReadonlySet<Capability> = new Set(['revisions']);
  protected readonly root: string;
  protected readonly files: FileCalls;
  protected readonly locks: LockManager;
  protected readonly clock: Clock;

  constructor(options: FileStoreOptions) {
    this.root = resolve(options.root);
    this.files = options.files ?? systemFiles;
    this.clock = options.clock ?? systemClock;
    this.locks = new LockManager(options.lockWaitMs ?? LOCK_WAIT_MS, this.clock);
  }

  async list(): Promise<string[]> {
    const names = await this.#namesInRoot();
    const ids = names.filter(name => name.endsWith(SUFFIX)).map(name => name.slice(0, -SUFFIX.length));
    const safe = ids.filter(id => unsafeIdReason(id) === undefined);
    const regular = await Promise.all(safe.map(id => this.#isListed(id)));
    return safe.filter((_id, index) => regular[index]).sort();
  }

  async load(id: string): Promise<Snapshot> {
    requireSafeId(id);
    const bytes = await this.readBytes(id);
    return { bytes, revision: await this.revisionOf(id, bytes) };
  }

  async exists(id: string): Promise<boolean> {
    requireSafeId(id);
    const stats = await lstat(this.pathOf(id)).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
      throw asIoFailure(error, 'load', id);
    });
    return stats !== undefined;
  }

  async revision(id: string): Promise<string> {
    requireSafeId(id);
    return this.revisionOf(id, await this.readBytes(id));
  }

  async save(id: string, bytes: Uint8Array, options: SaveOptions = {}): Promise<string> {
    requireSafeId(id);
    requireMatchingId(id, readStored(id, bytes));
    await this.makeRoot(id);
    return this.underLock(id, document => document.save(bytes, options));
  }

  async delete(id: string): Promise<string | undefined> {
    requireSafeId(id);
    return this.underLock(id, document => document.delete());
  }

  async history(id: string, _part?: HistoryPart): Promise<HistoryEntry[]> {
    requireSafeId(id);
    throw unsupported(id, 'history');
  }

  async entry(id: string, _revision: string): Promise<HistoryEntry | undefined> {
    requireSafeId(id);
    return undefined;
  }

  async newestEntries(): Promise<ReadonlyMap<string, HistoryEntry>> {
    return new Map();
  }

  async loadAt(id: string, _revision: string): Promise<Uint8Array> {
    requireSafeId(id);
    throw unsupported(id, 'history');
  }

  async exclusively<T>(id: string, work: (document: LockedDocument) => Promise<T>): Promise<T> {
    requireSafeId(id);
    return this.underLock(id, document =>
      work({
        ...document,
        save: async (bytes, options = {}) => {
          requireMatchingId(id, readStored(id, bytes));
          return document.save(bytes, options);
        },
      }),
    );
  }

  watch(onChange: () => void): () => void {
    return watchFolder(this.root, onChange);
  }

  /** Creates the root (and, in the git store, the repository) where the first document is to be saved. */
  async makeRoot(id: string): Promise<void> {
    try {
      await mkdir(this.root, { recursive: true });
    } catch (error) {
      throw asIoFailure(error, 'save', id);
    }
  }

  protected fileName(id: string): string {
    return id + SUFFIX;
  }

  protected pathOf(id: string): string {
    return join(this.root, this.fileName(id));
  }

  protected readBytes(id: string): Promise<Uint8Array> {
    return readDocumentFile(this.root, this.fileName(id), id);
  }

  /** Revision token of `bytes`, which the root holds now. */
  protected async revisionOf(_id: string, bytes: Uint8Array): Promise<string> {
    return contentRevision(bytes);
  }

  protected underLock<T>(id: string, work: (document: LockedFile) => Promise<T>): Promise<T> {
    return this.locks.withLock(join(this.root, `.dash-lock-${id}`), id, lease =>
      work({
        load: () => this.load(id),
        exists: () => this.exists(id),
        save: (bytes, options = {}) => this.#write(id, bytes, options, lease),
        delete: () => this.#remove(id, lease),
      }),
    );
  }

  /** Removes the file of a document. */
  protected async removeFile(id: string): Promise<void> {
    try {
      await unlink(this.pathOf(id));
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? notFound(id) : asIoFailure(error, 'delete', id);
    }
    await flushDirectory(this.root);
  }

  async #write(id: string, bytes: Uint8Array, options: SaveOptions, lease: Lease): Promise<string> {
    await this.checkPrecondition(id, options, () => this.revision(id));
    lease.check();
    await replaceFile(this.root, this.fileName(id), bytes, id, this.files);
    return contentRevision(bytes);
  }

  async #remove(id: string, lease: Lease): Promise<undefined> {
    lease.check();
    await this.removeFile(id);
  }

  /** @throws DashError STORAGE_EXISTS, CHANGESET_REVISION_CONFLICT when the document is not as `options` expect it. */
  protected async checkPrecondition(
    id: string,
    options: SaveOptions,
    revision: () => Promise<string>,
  ): Promise<void> {
    if (options.create === true && (await this.exists(id))) {
      throw storageExists(id);
    }
    if (options.expectedRevision === undefined) return;
    const current = (await this.exists(id)) ? await revision() : '';
    if (current !== options.expectedRevision) throw revisionConflict(id, options.expectedRevision, current);
  }

  async #namesInRoot(): Promise<string[]> {
    try {
      return await readdir(this.root);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw asIoFailure(error, 'list');
    }
  }

  /** Regular files, and links that `load` would follow. */
  async #isListed(id: string): Promise<boolean> {
    const stats = await lstat(this.pathOf(id)).catch(() => undefined);
    if (stats?.isSymbolicLink() !== true) return stats?.isFile() === true;
    const target = await stat(this.pathOf(id)).catch(() => undefined);
    return (
      target?.isFile() === true &&
      (await this.readBytes(id).then(
        () => true,
        () => false,
      ))
    );
  }
}
