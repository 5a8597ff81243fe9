import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DashError } from '#src/errors.ts';
import { type FileCalls, flushDirectory, readDocumentFile, replaceFile, systemFiles } from './atomic-file.ts';
import {
  asIoFailure,
  type Capability,
  type DocumentStore,
  errnoOf,
  type HistoryEntry,
  type LockedDocument,
  notFound,
  type SaveOptions,
  type Snapshot,
  unsupported,
} from './contract.ts';
import { idFault, requireSafeId } from './document-id.ts';
import { Exclusive, type Hold, LOCK_WAIT_MS } from './exclusive.ts';
import { readStored, requireMatchingId } from './stored-document.ts';

const SUFFIX = '.json';

export interface FileStoreOptions {
  /** Directory that holds `<id>.json`; created by the first save. */
  readonly root: string;
  /** How long a writer waits for a lock, in milliseconds; 15,000 unless told. */
  readonly lockWaitMs?: number;
  /** Injected faults, in tests. */
  readonly files?: FileCalls;
}

/** Revision token of the `fs` store: lowercase hex SHA-256 of the bytes. */
export function contentRevision(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** CHANGESET_REVISION_CONFLICT `{id, expected, current}`. */
export function revisionConflict(id: string, expected: string, current: string): DashError {
  const message = `"${id}" has changed since revision ${expected.slice(0, 100)}; read it again.`;
  return new DashError('CHANGESET_REVISION_CONFLICT', message, { id, expected, current });
}

/** The `fs` store: one file per document, content hashes as revisions, no history (dashboard details 12.3). */
export class FileStore implements DocumentStore {
  readonly kind: string = 'fs';
  readonly capabilities: ReadonlySet<Capability> = new Set(['revisions']);
  protected readonly root: string;
  protected readonly files: FileCalls;
  protected readonly locks: Exclusive;

  constructor(options: FileStoreOptions) {
    this.root = resolve(options.root);
    this.files = options.files ?? systemFiles;
    this.locks = new Exclusive(options.lockWaitMs ?? LOCK_WAIT_MS);
  }

  async list(): Promise<string[]> {
    const names = await this.namesInRoot();
    const ids = names.filter(name => name.endsWith(SUFFIX)).map(name => name.slice(0, -SUFFIX.length));
    const safe = ids.filter(id => idFault(id) === undefined);
    const regular = await Promise.all(safe.map(id => this.isListed(id)));
    return safe.filter((_id, index) => regular[index]).sort();
  }

  async load(id: string): Promise<Snapshot> {
    requireSafeId(id);
    const bytes = await this.readBytes(id);
    return { bytes, revision: await this.revisionOf(id, bytes) };
  }

  async exists(id: string): Promise<boolean> {
    requireSafeId(id);
    const found = await lstat(this.pathOf(id)).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
      throw asIoFailure(error, 'load', id);
    });
    return found !== undefined;
  }

  async revision(id: string): Promise<string> {
    requireSafeId(id);
    return this.revisionOf(id, await this.readBytes(id));
  }

  async save(id: string, bytes: Uint8Array, options: SaveOptions = {}): Promise<string> {
    requireSafeId(id);
    requireMatchingId(id, readStored(id, bytes));
    await this.makeRoot(id);
    return this.underLock(id, hold => this.write(id, bytes, options, hold));
  }

  async delete(id: string): Promise<void> {
    requireSafeId(id);
    await this.underLock(id, hold => this.remove(id, hold));
  }

  async history(id: string): Promise<HistoryEntry[]> {
    requireSafeId(id);
    throw unsupported(id, 'history');
  }

  async loadAt(id: string, _revision: string): Promise<Uint8Array> {
    requireSafeId(id);
    throw unsupported(id, 'history');
  }

  async exclusively<T>(id: string, work: (document: LockedDocument) => Promise<T>): Promise<T> {
    requireSafeId(id);
    return this.underLock(id, hold =>
      work({
        load: () => this.load(id),
        exists: () => this.exists(id),
        delete: () => this.remove(id, hold),
        save: async (bytes, options = {}) => {
          requireMatchingId(id, readStored(id, bytes));
          return this.write(id, bytes, options, hold);
        },
      }),
    );
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

  /** Token of `bytes` as they stand in the root. */
  protected async revisionOf(_id: string, bytes: Uint8Array): Promise<string> {
    return contentRevision(bytes);
  }

  protected underLock<T>(id: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    return this.locks.run(join(this.root, `.dash-lock-${id}`), id, work);
  }

  /** Writes under the lock; the precondition is checked immediately before. */
  protected async write(id: string, bytes: Uint8Array, options: SaveOptions, hold: Hold): Promise<string> {
    await this.checkPrecondition(id, options);
    await hold.check();
    await replaceFile(this.root, this.fileName(id), bytes, id, this.files);
    return this.revisionOf(id, bytes);
  }

  protected async remove(id: string, hold: Hold): Promise<void> {
    await hold.check();
    try {
      await unlink(this.pathOf(id));
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? notFound(id) : asIoFailure(error, 'delete', id);
    }
    await flushDirectory(this.root);
  }

  protected async checkPrecondition(id: string, options: SaveOptions): Promise<void> {
    if (options.create === true && (await this.exists(id))) {
      throw new DashError('STORAGE_EXISTS', `There is a document "${id}" already.`, { id });
    }
    if (options.expectedRevision === undefined) return;
    const current = (await this.exists(id)) ? await this.revision(id) : '';
    if (current !== options.expectedRevision) throw revisionConflict(id, options.expectedRevision, current);
  }

  private async namesInRoot(): Promise<string[]> {
    try {
      return await readdir(this.root);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return [];
      throw asIoFailure(error, 'list');
    }
  }

  /** Regular files, and links that `load` would follow. */
  private async isListed(id: string): Promise<boolean> {
    const found = await lstat(this.pathOf(id)).catch(() => undefined);
    if (found?.isSymbolicLink() !== true) return found?.isFile() === true;
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
