import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiKey } from './api-key.ts';
import { appManifest } from './app-manifest.ts';
import type { Choices } from './choices.ts';

const PACKAGE = new URL('../', import.meta.url);
const HOME = fileURLToPath(new URL('templates', PACKAGE));

/** Files that npm leaves out of a package under their own name. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

/** Our own version, which is that of the packages an app needs. */
export function ownVersion(): string {
  const manifest = readFileSync(new URL('package.json', PACKAGE), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version; // our own package.json
}

/** The files of one app: path to text. */
export function appFiles(
  name: string,
  { template, page }: Choices,
  key: ApiKey,
): ReadonlyMap<string, string> {
  const values: Readonly<Record<string, string>> = { name, digest: key.digest };
  const filled = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (place, member: string) => values[member] ?? place);
  const files = new Map<string, string>();
  // What comes later is more special: it may replace a file.
  for (const layer of ['common', page, `${template}/common`, `${template}/${page}`])
    for (const path of pathsIn(join(HOME, layer)))
      files.set(RENAMED[path] ?? path, filled(readFileSync(join(HOME, layer, path), 'utf8')));
  files.set('package.json', `${JSON.stringify(appManifest(name, page, ownVersion()), null, 2)}\n`);
  files.set(
    '.env',
    `# The key of other programs of your backend. Keep it out of Git.\nMSG_KEY=${key.text}\n`,
  );
  return files;
}

/** Paths of the files below a folder, relative to it. */
const pathsIn = (layer: string): string[] =>
  readdirSync(layer, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(layer, join(parentPath, name)));
