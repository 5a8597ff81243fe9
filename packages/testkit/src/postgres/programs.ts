import { execFileSync } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian keeps the programs of a server, newest version last. */
const DEBIAN = '/usr/lib/postgresql/*/bin';
/** Users of a system as whom a server may run; it refuses to run as root. */
const UNPRIVILEGED = ['postgres', 'daemon'];

/** The path of a program of PostgreSQL such as `initdb`. */
export function postgresProgram(name: string): string {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...globSync(DEBIAN)
      .sort((a, b) => versionOf(a) - versionOf(b))
      .reverse(),
  ];
  const program = folders.map(folder => join(folder, name)).find(isProgram);
  if (program === undefined) throw new Error(`${name} is not installed: apt-get install postgresql`);
  return program;
}

/** The user and group as whom a server runs; undefined for those of this process. */
export function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of UNPRIVILEGED) {
    const [uid, gid] = ['-u', '-g'].map(flag => idOf(flag, user));
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(`one of the users ${UNPRIVILEGED.join(', ')} must exist`);
}

const versionOf = (folder: string): number => Number(/\/(\d+)\/bin$/.exec(folder)?.[1] ?? 0);

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function idOf(flag: string, user: string): number | undefined {
  try {
    return Number(
      execFileSync('id', [flag, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
  } catch {
    return undefined;
  }
}
