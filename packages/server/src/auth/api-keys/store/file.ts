import { open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRecord } from '@msg/foundation/json';
import { SerialQueue } from '@msg/foundation/promises';
import { makeDirectory, temporaryOf } from '../../../config/directory.ts';
import type { ApiKeyStore, StoredApiKey } from './contract.ts';
import { ApiKeyFormatError, parseStored, readApiKey, writeApiKey } from './document.ts';

const FILE = 'api-keys.json';
const FORMAT_VERSION = '1';

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function byName(a: StoredApiKey, b: StoredApiKey): number {
  return a.name < b.name ? -1 : 1;
}

/**
 * `api-keys.json` in the state directory: mode 0600, replaced by rename, so that a reader sees either the old or the new
 * document.
 */
export class FileApiKeyStore implements ApiKeyStore {
  readonly location: string;
  readonly #writes = new SerialQueue();

  constructor(stateDir: string) {
    this.location = join(stateDir, FILE);
  }

  async load(): Promise<readonly StoredApiKey[]> {
    let source: string;
    try {
      source = await readFile(this.location, 'utf8');
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
    const document = parseStored(source, this.location);
    if (!isRecord(document)) throw new ApiKeyFormatError(this.location, 'must be a JSON object');
    const { format_version: version, keys } = document;
    if (version !== FORMAT_VERSION)
      throw new ApiKeyFormatError(this.location, `format_version must be "${FORMAT_VERSION}"`);
    if (!Array.isArray(keys)) throw new ApiKeyFormatError(this.location, 'keys must be an array');
    const read = keys.map(key => readApiKey(key, this.location));
    if (new Set(read.map(({ name }) => name)).size !== read.length)
      throw new ApiKeyFormatError(this.location, 'two keys have the same name');
    return read;
  }

  replace(name: string, seen: string | undefined, next: StoredApiKey | undefined): Promise<boolean> {
    return this.#writes.run(async () => {
      const before = await this.#version();
      const keys = await this.load();
      if (keys.find(key => key.name === name)?.revision !== seen) return false;
      const others = keys.filter(key => key.name !== name);
      return this.#write(next === undefined ? others : [...others, next], before);
    });
  }

  /** Writes unless another process wrote since `before`. */
  async #write(keys: readonly StoredApiKey[], before: string): Promise<boolean> {
    await makeDirectory(dirname(this.location), 0o700);
    const document = { format_version: FORMAT_VERSION, keys: keys.toSorted(byName).map(writeApiKey) };
    const temporary = temporaryOf(this.location);
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.chmod(0o600);
      await file.writeFile(`${JSON.stringify(document, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    if ((await this.#version()) !== before) return false;
    await rename(temporary, this.location);
    return true;
  }

  async #version(): Promise<string> {
    try {
      const { mtimeNs, size, ino } = await stat(this.location, { bigint: true });
      return `${mtimeNs}-${size}-${ino}`;
    } catch (error) {
      if (isMissing(error)) return '';
      throw error;
    }
  }
}
