import { createHash } from 'node:crypto';

const SIGNATURE = 'DIRC';
const VERSION = 2;
const HEADER_BYTES = 12;
/** An entry begins with times, device, inode, mode, owner and size, four bytes each; the hash follows. */
const MODE_AT = 24;
const SIZE_AT = 36;
const HASH_AT = 40;
const MODIFIED_AT = 8;
const REGULAR_FILE = 0o100644;
/** Flags of an entry that say more than the length of its name: assumed unchanged, extended, a side of a merge. */
const SPECIAL_FLAGS = 0xf000;

/** Where an entry lies in the index. */
interface Entry {
  readonly start: number;
  readonly end: number;
}

/**
 * An index in which the entry of a regular file names another blob: the bytes that `git update-index` writes. Undefined
 * for an index that is not as plain as git makes it by default, and for a path without an entry: git does these.
 * @param modifiedSeconds When the file of the index was modified.
 */
export function withBlob(
  index: Buffer,
  modifiedSeconds: number,
  path: string,
  blob: string,
): Buffer | undefined {
  const hashBytes = blob.length / 2;
  const content = index.subarray(0, -hashBytes);
  if (!isPlain(index, content)) return undefined;
  const entries = findEntry(content, Buffer.from(path), hashBytes, modifiedSeconds);
  if (entries === undefined) return undefined;
  const extensions = withoutTreesOf(content.subarray(entries.end), path, hashBytes);
  if (extensions === undefined) return undefined;
  const changed = Buffer.from(content.subarray(0, entries.end));
  const { start } = entries.entry;
  // Without times and size the entry is compared with the file by content.
  changed.fill(0, start, start + HASH_AT).writeUInt32BE(REGULAR_FILE, start + MODE_AT);
  changed.write(blob, start + HASH_AT, 'hex');
  const next = Buffer.concat([changed, extensions]);
  return Buffer.concat([next, checksum(next, hashBytes)]);
}

function isPlain(index: Buffer, content: Buffer): boolean {
  if (content.length < HEADER_BYTES || content.toString('latin1', 0, 4) !== SIGNATURE) return false;
  if (content.readUInt32BE(4) !== VERSION) return false;
  return checksum(content, index.length - content.length).equals(index.subarray(content.length));
}

function checksum(content: Buffer, hashBytes: number): Buffer {
  return createHash(hashBytes === 32 ? 'sha256' : 'sha1')
    .update(content)
    .digest();
}

/**
 * The entry of the path, and where the last entry ends. Undefined without one, for a link or a program, and where
 * another entry is as young as the index: git compares its file before it writes the index again, since a later change of
 * the file may show in nothing but that.
 */
function findEntry(
  content: Buffer,
  path: Buffer,
  hashBytes: number,
  modifiedSeconds: number,
): { readonly entry: Entry; readonly end: number } | undefined {
  const flagsAt = HASH_AT + hashBytes;
  let entry: Entry | undefined;
  let start = HEADER_BYTES;
  for (let left = content.readUInt32BE(8); left > 0; left--) {
    const nameEnd = content.indexOf(0, start + flagsAt + 2);
    if (nameEnd < 0) return undefined;
    const end = start + Math.ceil((nameEnd + 1 - start) / 8) * 8;
    if (content.subarray(start + flagsAt + 2, nameEnd).equals(path)) {
      const isSpecial = (content.readUInt16BE(start + flagsAt) & SPECIAL_FLAGS) !== 0;
      if (isSpecial || content.readUInt32BE(start + MODE_AT) !== REGULAR_FILE) return undefined;
      entry = { start, end };
    } else if (
      content.readUInt32BE(start + MODIFIED_AT) >= modifiedSeconds &&
      content.readUInt32BE(start + SIZE_AT) > 0
    ) {
      return undefined;
    }
    start = end;
  }
  return entry && { entry, end: start };
}

/** The extensions with the trees that hold the path marked as unknown. Undefined when there is another extension. */
function withoutTreesOf(extensions: Buffer, path: string, hashBytes: number): Buffer | undefined {
  if (extensions.length === 0) return extensions;
  const isTrees = extensions.toString('latin1', 0, 4) === 'TREE';
  if (!isTrees || extensions.readUInt32BE(4) !== extensions.length - 8) return undefined;
  const folders = path.split('/').slice(0, -1);
  const pieces: Buffer[] = [];
  let at = 8;
  /** Copies a tree and the trees in it. @param way The folders that the path has from here on; undefined beside it. */
  const copy = (way: readonly string[] | undefined): void => {
    const nameEnd = extensions.indexOf(0, at);
    const lineEnd = extensions.indexOf('\n', nameEnd);
    const [entries = '', trees = ''] = extensions.toString('latin1', nameEnd + 1, lineEnd).split(' ');
    const end = lineEnd + 1 + (entries === '-1' ? 0 : hashBytes);
    pieces.push(
      way === undefined
        ? extensions.subarray(at, end)
        : Buffer.concat([extensions.subarray(at, nameEnd + 1), Buffer.from(`-1 ${trees}\n`)]),
    );
    at = end;
    for (let left = Number(trees); left > 0; left--) {
      const name = extensions.toString('utf8', at, extensions.indexOf(0, at));
      copy(way?.[0] === name ? way.slice(1) : undefined);
    }
  };
  copy(folders);
  const body = Buffer.concat(pieces);
  const header = Buffer.from(extensions.subarray(0, 8));
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}
