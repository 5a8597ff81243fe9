import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';

/** Bytes of a document and the token of exactly these bytes; no token from a store without revisions. */
export interface Snapshot {
  readonly bytes: Uint8Array;
  readonly revision?: string;
}

/** One commit of one document, as `history` lists it. */
export interface HistoryEntry {
  readonly revision: string;
  readonly message: string;
  /** `name <email>`. */
  readonly author: string;
  /** ISO 8601 with offset. */
  readonly timestamp: string;
}

/** A part of a history: so many entries after the newest ones. */
export interface HistoryPart {
  readonly skip?: number;
  readonly limit?: number;
}

/** Options of a save. */
export interface SaveOptions {
  /** Save only onto this revision; otherwise CHANGESET_REVISION_CONFLICT. */
  readonly expectedRevision?: string;
  /** Save only when the document does not exist yet; otherwise STORAGE_EXISTS. */
  readonly create?: boolean;
  /** Replaces the subject of the commit message where the store keeps history. */
  readonly message?: string;
  /** Description of the edit, one line per operation, for the body of the commit message. */
  readonly summary?: readonly string[];
  /** Further trailers of the commit message, by name; a value is one line of at most 100 characters. */
  readonly trailers?: Readonly<Record<string, string>>;
}

/** Optional capabilities of a store. */
export type Capability = 'revisions' | 'history';

/** The operations on one document under its lock. */
export interface LockedDocument {
  load(): Promise<Snapshot>;
  save(bytes: Uint8Array, options?: SaveOptions): Promise<string | undefined>;
  /** The revision of the deletion, where the store keeps history. */
  delete(options?: Pick<SaveOptions, 'trailers'>): Promise<string | undefined>;
  exists(): Promise<boolean>;
}

/**
 * A store of whole documents as opaque bytes (dashboard details 12). It knows neither schemas nor patches, and returns
 * saved bytes unchanged. Every method refuses an unsafe id with STORAGE_ID_INVALID, an unknown one with
 * STORAGE_NOT_FOUND, and fails with STORAGE_IO for a failing disk.
 */
export interface DocumentStore {
  readonly kind: string;
  readonly capabilities: ReadonlySet<Capability>;
  /** Ids of all documents, sorted. A missing root holds none. */
  list(): Promise<string[]>;
  load(id: string): Promise<Snapshot>;
  exists(id: string): Promise<boolean>;
  /** Replaces the document atomically and returns its new revision. @throws DashError STORAGE_ID_MISMATCH, STORAGE_INVALID, STORAGE_EXISTS. */
  save(id: string, bytes: Uint8Array, options?: SaveOptions): Promise<string | undefined>;
  /** The revision of the deletion, where the store keeps history. */
  delete(id: string): Promise<string | undefined>;
  /** @throws DashError STORAGE_CAPABILITY_UNSUPPORTED without the capability `revisions`. */
  revision(id: string): Promise<string>;
  /** Newest first, all or a part. @throws DashError STORAGE_CAPABILITY_UNSUPPORTED without the capability `history`. */
  history(id: string, part?: HistoryPart): Promise<HistoryEntry[]>;
  /** The commit that a revision names; undefined for an external edit and without the capability `history`. */
  entry(id: string, revision: string): Promise<HistoryEntry | undefined>;
  /** The newest commit of each document that one of the last 5,000 commits touched; none without the capability `history`. */
  newestEntries(): Promise<ReadonlyMap<string, HistoryEntry>>;
  loadAt(id: string, revision: string): Promise<Uint8Array>;
  /**
   * Runs `work` alone among all writers of the document, in this process and in others.
   * @throws DashError STORAGE_BUSY when the lock is not obtained in time.
   */
  exclusively<T>(id: string, work: (document: LockedDocument) => Promise<T>): Promise<T>;
  /** Calls back when a file of the root may have changed, until the answered function is called. It may miss changes. */
  watch(onChange: () => void): () => void;
}

/** STORAGE_NOT_FOUND for a document, or for one revision of it. */
export function notFound(id: string, revision?: string): DashError {
  const what =
    revision === undefined ? `Document "${id}"` : `Revision "${display(revision)}" of document "${id}"`;
  return new DashError('STORAGE_NOT_FOUND', `${what} does not exist.`, { id, revision });
}

/** STORAGE_EXISTS `{id}`. */
export function storageExists(id: string): DashError {
  return new DashError('STORAGE_EXISTS', `Document id "${id}" is already used in this store.`, { id });
}

/** CHANGESET_REVISION_CONFLICT `{id, expected, current}`. */
export function revisionConflict(id: string, expected: string, current: string): DashError {
  const message = `Document "${id}" is changed since revision ${display(expected)}; read it again.`;
  return new DashError('CHANGESET_REVISION_CONFLICT', message, { id, expected, current });
}

/** STORAGE_CAPABILITY_UNSUPPORTED. */
export function unsupported(id: string, capability: Capability): DashError {
  const message = `Reading ${capability} on this store is not allowed: it keeps none.`;
  return new DashError('STORAGE_CAPABILITY_UNSUPPORTED', message, { id, capability });
}

/** STORAGE_IO; `reason` never holds a path outside the root. */
export function ioFailure(operation: string, reason: string, id?: string): DashError {
  const subject = id === undefined ? 'the store' : `document "${id}"`;
  const message = `${operation} on ${subject} is not possible: ${reason}.`;
  return new DashError('STORAGE_IO', message, { id, operation, reason });
}

/** STORAGE_IO for whatever a file system call threw, by its errno name; coded errors pass unchanged. */
export function asIoFailure(error: unknown, operation: string, id?: string): Error {
  if (error instanceof DashError) return error;
  const code = errnoOf(error);
  return code === undefined ? asError(error) : ioFailure(operation, code, id);
}

/** `ENOENT` and its kin; undefined for anything that is not a system error. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
