import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createApiKey } from './api-key.ts';
import { appFiles } from './app-files.ts';
import type { Choices } from './choices.ts';
import { appName, requireEmpty } from './folder.ts';

/** Only the owner may read the key. */
const PRIVATE = ['.env'];

/**
 * Writes an app into a folder that is missing or empty. Source: app-developers 10.
 * @returns the paths of its files, below the folder
 * @throws CreateError when the folder is not empty or its name cannot be that of an app; nothing is written then
 */
export function createApp(choices: Choices): readonly string[] {
  const { folder } = choices;
  const name = appName(folder);
  requireEmpty(folder);
  const files = appFiles(name, choices, createApiKey());
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, PRIVATE.includes(path) ? { mode: 0o600 } : {});
  }
  return [...files.keys()].toSorted();
}
