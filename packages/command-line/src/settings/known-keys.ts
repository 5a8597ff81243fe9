import { type FileMap, type FileValue, requireMap, unknownKey } from './file-value.ts';
import type { Setting } from './setting.ts';

/** The key paths of a file that settings read: leaves and the keys above them. */
export class KnownKeys {
  readonly #leaves = new Set<string>();
  /** Path of a map → the names that it may have. */
  readonly #branches = new Map<string, Set<string>>();

  constructor(settings: readonly Setting<unknown>[]) {
    for (const { key, aliases = [], type } of settings) {
      for (const name of [key, ...aliases]) this.#add(name);
      const above = key.slice(0, key.lastIndexOf('.') + 1);
      for (const companion of Object.keys(type.companions ?? {})) this.#add(above + companion);
    }
  }

  #add(key: string): void {
    this.#leaves.add(key);
    let path = '';
    for (const name of key.split('.')) {
      const names = this.#branches.get(path) ?? new Set();
      this.#branches.set(path, names.add(name));
      path = path === '' ? name : `${path}.${name}`;
    }
  }

  /** True for a map of further keys, also where the key has a second form. */
  isBranch(value: FileValue): boolean {
    return value.kind === 'map' && this.#branches.has(value.key);
  }

  /**
   * Checks that every key of a file belongs to a setting. The members of entries are checked when they are read.
   * @throws UsageError naming the key path, its line and what was probably meant.
   */
  check(map: FileMap): void {
    for (const value of map.entries.values()) {
      if (this.#leaves.has(value.key) && !this.isBranch(value)) continue;
      if (!this.#branches.has(value.key)) throw unknownKey(value, this.#branches.get(map.key) ?? []);
      if (value.kind === 'null') continue;
      this.check(requireMap(value));
    }
  }
}
