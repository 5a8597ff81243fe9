import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '#src/document/json.ts';

const FOLDER = new URL('../../examples/', import.meta.url);

/** The documents that the package ships. */
export const EXAMPLES: readonly JsonObject[] = readdirSync(FOLDER)
  .toSorted()
  .map(name => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as JsonObject);
