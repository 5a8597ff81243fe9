import { readdir, readFile } from 'node:fs/promises';
import type { JsonObject } from '../document/json.ts';

const FOLDER = new URL('../../examples/', import.meta.url);
const SUFFIX = '.json';

/** Names of the shipped examples, sorted. */
export async function templateNames(): Promise<string[]> {
  const files = (await readdir(FOLDER)).filter(file => file.endsWith(SUFFIX));
  return files.map(file => file.slice(0, -SUFFIX.length)).toSorted();
}

/** The shipped example of that name; undefined for an unknown name. */
export async function findTemplate(name: string): Promise<JsonObject | undefined> {
  if (!(await templateNames()).includes(name)) return undefined;
  return JSON.parse(await readFile(new URL(`${name}${SUFFIX}`, FOLDER), 'utf8'));
}
