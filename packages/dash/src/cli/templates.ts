import { readdir, readFile } from 'node:fs/promises';
import { UsageError } from '@msg/command-line';
import { display } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';

const FOLDER = new URL('../../examples/', import.meta.url);
const SUFFIX = '.json';

/** A shipped example by its name (dashboard details 16). @throws UsageError that names them all. */
export async function readTemplate(name: string): Promise<JsonObject> {
  const files = await readdir(FOLDER);
  if (!files.includes(`${name}${SUFFIX}`)) {
    const templates = files.filter(file => file.endsWith(SUFFIX)).map(file => file.slice(0, -SUFFIX.length));
    const names = templates.toSorted().join(', ');
    throw new UsageError(`--template must be one of ${names}; got "${display(name)}"`, {
      flag: '--template',
    });
  }
  return JSON.parse(await readFile(new URL(`${name}${SUFFIX}`, FOLDER), 'utf8'));
}
