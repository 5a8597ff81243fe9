import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MsgError, type Situation, type SituationName } from '@msg/core';
import { defined } from '@msg/foundation/json';

/** The code of a failure of the system: `ENOENT`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Creates a missing directory and its parents. Node's own `recursive` never ends on a file system that cannot create
 * directories, such as `/proc`.
 * @param mode mode of every created directory
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

/** The file in which this process writes what replaces a file: several processes may share the directory. */
export function temporaryOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

/** @throws the failure, unless the directory exists, because another process may have created it */
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
  ENOSPC: 'stateDirFull',
  EDQUOT: 'stateDirFull',
};

/** The situation of a file system failure in the state directory, if it is known. */
function stateDirectorySituation(cause: unknown): Situation | undefined {
  const code = codeOf(cause);
  const name = typeof code === 'string' ? STATE_DIRECTORY[code] : undefined;
  return name === undefined ? undefined : { name };
}

/**
 * The error of a start that a file of the state directory prevents: MSG_INVALID_ARGUMENT with its remedy where the directory
 * is at fault, else MSG_INTERNAL.
 */
export function stateDirectoryError(text: string, cause: unknown): MsgError {
  const situation = stateDirectorySituation(cause);
  const code = situation === undefined ? 'MSG_INTERNAL' : 'MSG_INVALID_ARGUMENT';
  return new MsgError(code, text, { cause, ...defined({ situation }) });
}

/**
 * Creates the missing directory of the state files with 0700. @throws MsgError MSG_INVALID_ARGUMENT when it cannot be
 * created
 */
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
