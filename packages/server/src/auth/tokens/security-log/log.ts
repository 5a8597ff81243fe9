import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MsgError } from '@msg/core';
import { stateDirectoryError, temporaryOf } from '../../../config/directory.ts';
import type { JournaledStore, SecurityEntry, SecurityJournal } from './contract.ts';
import { formatLine, parseLine, UnreadableLine } from './line.ts';

const SECURITY_LOG_FILE = 'security.log';

/** A shorter file is not compacted while it is in use. */
const MIN_LINES = 1024;
const REMEDY =
  'restore it from a backup, or remove it together with keyring.json: what was revoked is forgotten then, and every token issued so far ends';

interface Waiting {
  readonly line: string;
  readonly done: PromiseWithResolvers<void>;
}

/** A file up to the end of its last whole line. */
interface Contents {
  /** Bytes. */
  readonly size: number;
  readonly lines: number;
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown failure';
}

/**
 * `<state directory>/security.log`: revocations, cutoffs, redeemed refresh tokens and revoked families, one JSON line
 * each, so that they survive a restart. Mode 0600. A line is written and flushed before its call returns; concurrent
 * calls share a flush. Compaction removes expired lines: at the start, and when the file has twice as many lines as live
 * entries. Source: messaging details 24.5.
 *
 * After a failed write the next call rewrites the file from the stores. A file that another process replaced (its
 * successor, while this one drains) is read again and continued.
 */
export class SecurityLog implements SecurityJournal {
  readonly path: string;
  #stores: readonly JournaledStore[] = [];
  #file: FileHandle | undefined;
  #inode = 0n;
  /** Bytes up to the end of the last valid line. */
  #size = 0;
  #lines = 0;
  #compactAt = MIN_LINES;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  constructor(stateDir: string) {
    this.path = join(stateDir, SECURITY_LOG_FILE);
  }

  /**
   * Applies the entries of earlier processes to the stores, and opens the file for writing.
   * @throws MsgError MSG_INVALID_ARGUMENT for an unreadable file and for a directory that cannot be used, MSG_INTERNAL when
   * the file cannot be written otherwise
   */
  async open(stores: readonly JournaledStore[]): Promise<void> {
    this.#stores = stores;
    try {
      const contents = await this.#read();
      if (contents === undefined || contents.lines > this.#entries().length) await this.#rewriteOr(contents);
      else await this.#continue(contents);
    } catch (cause) {
      if (cause instanceof MsgError) throw cause;
      throw stateDirectoryError(`security log ${this.path}: ${problemOf(cause)}`, cause);
    }
  }

  append(entry: SecurityEntry): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ line: formatLine(entry), done });
    if (this.#writing === undefined) this.#writing = this.#write();
    return done.promise;
  }

  /** Waits for the current write. Safe to call again. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
  }

  #entries(): SecurityEntry[] {
    return this.#stores.flatMap(store => [...store.entries()]);
  }

  /** Writes all waiting lines at once; lines that arrive meanwhile follow in the next write. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#append(batch.map(({ line }) => `${line}\n`).join(''), batch.length);
        for (const { done } of batch) done.resolve();
      } catch (cause) {
        const text = `security log ${this.path}: ${problemOf(cause)}; nothing was recorded, so nothing was done`;
        const error = new MsgError('MSG_INTERNAL', text, { cause });
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#writing = undefined;
  }

  async #append(text: string, lines: number): Promise<void> {
    if (this.#file === undefined || !(await this.#isInPlace())) await this.#recover();
    if (this.#lines >= this.#compactAt) await this.#compact();
    const file = this.#file;
    if (file === undefined) throw new Error('the file is closed');
    try {
      await file.appendFile(text);
      await file.datasync();
      this.#size += Buffer.byteLength(text);
      this.#lines += lines;
    } catch (error) {
      await this.#takeBack(file);
      throw error;
    }
  }

  /** Truncates the file to the last valid line after a failed write. If that fails too, the file is rewritten. */
  async #takeBack(file: FileHandle): Promise<void> {
    try {
      await file.truncate(this.#size);
      await file.datasync();
    } catch {
      this.#file = undefined;
      await file.close().catch(() => {});
    }
  }

  /** False when another process or an operator replaced or removed the file. */
  async #isInPlace(): Promise<boolean> {
    const there = await stat(this.path, { bigint: true }).catch(() => undefined);
    return there?.ino === this.#inode;
  }

  async #recover(): Promise<void> {
    await this.#file?.close().catch(() => {});
    this.#file = undefined;
    await this.#read();
    await this.#rewrite();
  }

  /** A failed compaction does not fail the call: it is tried again later. */
  async #compact(): Promise<void> {
    const live = this.#entries().length;
    this.#compactAt = Math.max(this.#lines + MIN_LINES, 2 * live);
    if (this.#lines >= 2 * live) await this.#rewrite().catch(() => {});
    else this.#compactAt = 2 * live;
  }

  /** Applies the file to the stores; `undefined` without a file. An incomplete last line is ignored. */
  async #read(): Promise<Contents | undefined> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
    const size = bytes.lastIndexOf('\n') + 1;
    const lines = size === 0 ? [] : bytes.toString('utf8', 0, size - 1).split('\n');
    for (const [index, line] of lines.entries()) this.#apply(line, index + 1);
    return { size, lines: lines.length };
  }

  #apply(line: string, number: number): void {
    try {
      const entry = parseLine(line);
      for (const store of this.#stores) store.apply(entry);
    } catch (error) {
      if (!(error instanceof UnreadableLine)) throw error;
      const text = `security log ${this.path}: line ${number} cannot be read; ${REMEDY}`;
      throw new MsgError('MSG_INVALID_ARGUMENT', text);
    }
  }

  /** At the start, when the disk may be full: keeps the old file if the rewrite fails. */
  async #rewriteOr(contents: Contents | undefined): Promise<void> {
    try {
      await this.#rewrite();
    } catch (error) {
      if (contents === undefined) throw error;
      await this.#continue(contents);
    }
  }

  /** Continues the existing file after its last complete line. */
  async #continue({ size, lines }: Contents): Promise<void> {
    const file = await open(this.path, 'r+');
    try {
      await file.chmod(0o600);
      await file.truncate(size);
    } finally {
      await file.close();
    }
    await this.#use(size, lines);
  }

  /** Writes the stores' entries to a new file, which replaces the old one. */
  async #rewrite(): Promise<void> {
    const entries = this.#entries();
    const text = entries.map(entry => `${formatLine(entry)}\n`).join('');
    const temporary = temporaryOf(this.path);
    try {
      const file = await open(temporary, 'w', 0o600);
      try {
        await file.chmod(0o600);
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
    await syncDirectory(dirname(this.path));
    await this.#use(Buffer.byteLength(text), entries.length);
  }

  async #use(size: number, lines: number): Promise<void> {
    const before = this.#file;
    this.#file = await open(this.path, 'a', 0o600);
    this.#inode = (await this.#file.stat({ bigint: true })).ino;
    this.#size = size;
    this.#lines = lines;
    this.#compactAt = Math.max(MIN_LINES, 2 * lines);
    await before?.close();
  }
}

/** Makes a rename durable. Some file systems do not support it. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  await directory?.sync().catch(() => {});
  await directory?.close();
}
