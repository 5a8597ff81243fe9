import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A script that the store runs in one atomic step. */
export interface LuaScript {
  readonly source: string;
  /** SHA-1 of the text, by which the store finds the script. */
  readonly sha1: string;
}

/** Loads a script from the caller's folder: `lua('./touch.lua', import.meta.url)`. */
export function lua(file: string, caller: string): LuaScript {
  const source = readFileSync(new URL(file, caller), 'utf8');
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}
