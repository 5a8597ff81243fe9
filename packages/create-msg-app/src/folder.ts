import { readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { CreateError } from './create-error.ts';

/** What npm takes as the name of a package without a scope, but for a dot or an underscore at its beginning. */
const NAME = /^[a-z0-9~-][a-z0-9._~-]{0,213}$/;
const RESERVED = ['node_modules', 'favicon.ico'];

/** The name of the app that a folder holds. @throws CreateError when npm does not take it as the name of a package */
export function appName(folder: string): string {
  const name = basename(resolve(folder));
  if (NAME.test(name) && !RESERVED.includes(name)) return name;
  throw new CreateError(
    `${JSON.stringify(name)} cannot be the name of an app`,
    `name the folder with small letters, digits and hyphens, such as ${suggestion(name)}`,
  );
}

function suggestion(name: string): string {
  const plain = name
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter(part => part !== '')
    .join('-');
  return NAME.test(plain) && !RESERVED.includes(plain) ? plain : 'my-app';
}

/** @throws CreateError unless the folder is missing, or empty but for a Git repository */
export function requireEmpty(folder: string): void {
  if (entriesOf(folder).every(entry => entry === '.git')) return;
  throw new CreateError(`${folder} is not empty`, 'name a folder that does not exist yet, or an empty one');
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return [];
    const problem = code === 'ENOTDIR' ? 'is a file' : `cannot be read: ${code}`;
    throw new CreateError(`${folder} ${problem}`, 'name another folder', { cause: error });
  }
}
