import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A script that the store runs in one atomic step. */
export interface LuaScript {
  readonly source: string;
  /** SHA-1 of the text, by which the store finds the script. */
  readonly sha1: string;
}

/** Loads a script from files of the caller's folder, in this order: `lua('./touch.lua', import.meta.url)`. */
export function lua(files: string | readonly string[], caller: string): LuaScript {
  const source = [files]
    .flat()
    .map(file => readFileSync(new URL(file, caller), 'utf8'))
    .join('');
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}
