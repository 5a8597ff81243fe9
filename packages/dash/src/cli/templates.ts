import { readdir, readFile } from 'node:fs/promises';
import type { JsonObject } from '#src/document/json.ts';
import { usageError } from './arguments.ts';

const FOLDER = new URL('../../examples/', import.meta.url);
const SUFFIX = '.json';

/** A shipped example by its name (dashboard details 16). @throws DashError CLI_INVALID that names them all. */
export async function readTemplate(name: string): Promise<JsonObject> {
  const files = await readdir(FOLDER);
  if (!files.includes(`${name}${SUFFIX}`)) {
    const known = files.filter(file => file.endsWith(SUFFIX)).map(file => file.slice(0, -SUFFIX.length));
    throw usageError(`--template is one of ${known.toSorted().join(', ')}`, '--template');
  }
  return JSON.parse(await readFile(new URL(`${name}${SUFFIX}`, FOLDER), 'utf8'));
}
