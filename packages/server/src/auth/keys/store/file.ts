import { chmod, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory, temporaryOf } from '../../../config/directory.ts';
import { formatKeyring, parseStoredKeyring } from '../document.ts';
import type { KeySet } from '../key-set.ts';
import { KeyringConflict, type KeyringStore, type StoredKeySet } from './contract.ts';

const KEYRING_FILE = 'keyring.json';

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/**
 * `keyring.json`: mode 0600 in a directory created 0700, replaced by rename, so that a reader sees either the old or the
 * new document. Source: messaging details 7.3.
 */
export class FileKeyringStore implements KeyringStore {
  readonly backend = 'file';
  readonly location: string;

  /**
   * @param stateDir the directory that holds the file
   * @param name of the file
   */
  constructor(stateDir: string, name = KEYRING_FILE) {
    this.location = join(stateDir, name);
  }

  async probe(): Promise<string | undefined> {
    try {
      const { mtimeNs, size, ino } = await stat(this.location, { bigint: true });
      return `${mtimeNs}-${size}-${ino}`;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async load(): Promise<StoredKeySet | undefined> {
    // The version is read first, so that the next probe notices a write in between.
    const version = await this.probe();
    if (version === undefined) return undefined;
    return { keySet: parseStoredKeyring(await readFile(this.location, 'utf8'), this.location), version };
  }

  async save(keySet: KeySet, expected: string | undefined): Promise<string> {
    await makeDirectory(dirname(this.location), 0o700);
    const temporary = temporaryOf(this.location);
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.chmod(0o600);
      await file.writeFile(formatKeyring(keySet));
      await file.sync();
    } finally {
      await file.close();
    }
    if ((await this.probe()) !== expected)
      throw new KeyringConflict('keyring.json was changed by another process');
    await rename(temporary, this.location);
    const version = await this.probe();
    if (version === undefined) throw new KeyringConflict('keyring.json vanished');
    return version;
  }

  /** Removes the rights of other users on an existing file. */
  async protect(): Promise<void> {
    try {
      await chmod(this.location, 0o600);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}
