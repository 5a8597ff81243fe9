import { randomBytes } from 'node:crypto';
import { rmSync, type Stats } from 'node:fs';
import { constants, lstat, open, readdir, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { MAX_DOCUMENT_BYTES } from '../document/size.ts';
import { DashError } from '../errors.ts';
import { asIoFailure, errnoOf, ioFailure, notFound } from './contract.ts';

const TEMPORARY_PREFIX = '.dash-tmp-';
const LEFTOVER_AGE_MS = 60_000;
const NON_BLOCKING = constants.O_RDONLY | constants.O_NONBLOCK;

/** The calls of an atomic save that can fail on their own; tests put failing ones in their place. */
export interface FileCalls {
  rename(from: string, to: string): Promise<void>;
  writeAndFlush(path: string, bytes: Uint8Array, mode: number): Promise<void>;
}

export const systemFiles: FileCalls = { rename, writeAndFlush };

async function writeAndFlush(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.chmod(mode);
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Replaces `<root>/<name>` by `bytes` so that a reader, also one after a crash, sees the old bytes or the new ones:
 * temporary file, flush, rename, flush of the directory (dashboard details 12.3). The file keeps its permissions.
 * @throws DashError STORAGE_IO; the old bytes are in place and no temporary file is left.
 */
export async function replaceFile(
  root: string,
  name: string,
  bytes: Uint8Array,
  id: string,
  calls: FileCalls = systemFiles,
): Promise<void> {
  const target = join(root, name);
  const temporary = join(root, TEMPORARY_PREFIX + randomBytes(9).toString('hex'));
  try {
    const mode = await writableMode(root, name, id);
    await calls.writeAndFlush(temporary, bytes, mode);
    await calls.rename(temporary, target);
    await flushDirectory(root);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw asIoFailure(error, 'save', id);
  }
}

/**
 * The permissions that `<root>/<name>` is to have after a save.
 * @throws DashError STORAGE_IO for a symbolic link and whatever else is never written.
 */
export async function writableMode(root: string, name: string, id: string): Promise<number> {
  const stats = await lstat(join(root, name)).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw asIoFailure(error, 'save', id);
  });
  if (stats === undefined) return 0o644;
  if (stats.isFile()) return stats.mode & 0o777;
  throw ioFailure(
    'save',
    stats.isSymbolicLink() ? 'a symbolic link is never written' : 'not a regular file',
    id,
  );
}

/** Makes renames and removals in `directory` last through a power loss; systems that cannot are left alone. */
export async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(() => undefined);
  if (handle === undefined) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}

/**
 * Bytes of the document file `<root>/<name>`. A symbolic link is followed when it ends at a regular file inside the
 * root.
 * @throws DashError STORAGE_NOT_FOUND, STORAGE_INVALID (too large) or STORAGE_IO.
 */
export async function readDocumentFile(root: string, name: string, id: string): Promise<Uint8Array> {
  const path = join(root, name);
  try {
    const stats = await lstat(path);
    if (!stats.isSymbolicLink()) return await readRegular(path, stats, id);
    const target = await linkTarget(root, path, id);
    return await readRegular(target, await stat(target), id);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw notFound(id);
    throw asIoFailure(error, 'load', id);
  }
}

async function linkTarget(root: string, path: string, id: string): Promise<string> {
  const target = await realpath(path);
  if (target.startsWith((await realpath(root)) + sep)) return target;
  throw ioFailure('load', 'a symbolic link that leaves the root', id);
}

async function readRegular(path: string, stats: Stats, id: string): Promise<Uint8Array> {
  if (!stats.isFile()) throw ioFailure('load', 'not a regular file', id);
  requireSize(stats.size, id);
  // Non-blocking: between the check and the opening the file may have become a pipe.
  const bytes = await readFile(path, { flag: NON_BLOCKING });
  requireSize(bytes.byteLength, id);
  return bytes;
}

function requireSize(size: number, id: string): void {
  if (size <= MAX_DOCUMENT_BYTES) return;
  const message = `Stored document "${id}" must be at most ${MAX_DOCUMENT_BYTES} bytes; got ${size}.`;
  throw new DashError('STORAGE_INVALID', message, { id, reason: 'size' });
}

/** Removes temporary files that killed writers left behind. */
export async function sweepLeftovers(directory: string, now: number): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.startsWith(TEMPORARY_PREFIX)) continue;
    const path = join(directory, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && now - stats.mtimeMs > LEFTOVER_AGE_MS)
      await unlink(path).catch(() => undefined);
  }
}

/** Removes a file at once, if it is there and can be removed. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is swept later, or by the next writer.
  }
}
