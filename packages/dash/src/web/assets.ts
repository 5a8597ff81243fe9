import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

const FOLDER = new URL('../../static/', import.meta.url);
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);
const HASH_LETTERS = 10;

/** One own file of the pages. */
export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** True under an address that carries the hash of the content: it never changes. */
  readonly immutable: boolean;
}

/** The own files of the pages, read once, each under its name and under one with the hash of its content. */
export class Assets {
  readonly #byName = new Map<string, Asset>();
  readonly #hashed = new Map<string, string>();

  constructor(folder: URL = FOLDER) {
    for (const name of readdirSync(folder)) {
      const type = TYPES.get(extname(name));
      if (type === undefined) continue;
      const bytes = new Uint8Array(readFileSync(new URL(name, folder)));
      const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, HASH_LETTERS);
      const hashed = name.replace(/(\.\w+)$/, `.${hash}$1`);
      this.#byName.set(name, { bytes, type, immutable: false });
      this.#byName.set(hashed, { bytes, type, immutable: true });
      this.#hashed.set(name, hashed);
    }
  }

  /** Undefined for a name that no own file has. */
  find(name: string): Asset | undefined {
    return this.#byName.get(name);
  }

  /** The text of a file. */
  text(name: string): string {
    return new TextDecoder().decode(this.#byName.get(name)?.bytes);
  }

  /** Address of a file, with the hash of its content. */
  address(name: string): string {
    return `/static/${this.#hashed.get(name) ?? name}`;
  }
}
