import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MsgError, type Situation, type SituationName } from '@msg/core';
import { defined } from '@msg/foundation/json';

/** The code of a failure of the system: `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Makes a directory, and those above it, unless it is there. Node's own `recursive` never ends where a file system has no
 * directories to give, as `/proc`.
 * @param mode of every directory that is made
 * @throws the file system's error
 */
export async function makeDirectory(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && dirname(path) !== path) {
      await makeDirectory(dirname(path), mode);
      await mkdir(path, { mode }).catch(failure => requireDirectory(path, failure));
    } else await requireDirectory(path, error);
  }
}

/** @throws the failure, unless there is a directory: another process may have been faster. */
async function requireDirectory(path: string, failure: unknown): Promise<void> {
  if (codeOf(failure) === 'EEXIST' && (await stat(path)).isDirectory()) return;
  throw failure;
}

const STATE_DIRECTORY: Readonly<Record<string, SituationName>> = {
  EACCES: 'stateDirDenied',
  EPERM: 'stateDirDenied',
  EEXIST: 'stateDirIsFile',
  ENOTDIR: 'stateDirIsFile',
  EROFS: 'stateDirReadOnly',
};

/** What to do about a failure of the file system in the state directory, where that is known. */
export function stateDirectorySituation(cause: unknown): Situation | undefined {
  const code = codeOf(cause);
  const name = typeof code === 'string' ? STATE_DIRECTORY[code] : undefined;
  return name === undefined ? undefined : { name };
}

/** Makes the directory of the state files, 0700, unless it is there. @throws MsgError MSG_INVALID_ARGUMENT when the directory is not there and cannot be made. */
export async function makeStateDirectory(path: string): Promise<void> {
  try {
    await makeDirectory(path, 0o700);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'unknown failure';
    throw new MsgError('MSG_INVALID_ARGUMENT', `state directory ${path} cannot be made: ${problem}`, {
      cause,
      ...defined({ situation: stateDirectorySituation(cause) }),
    });
  }
}
