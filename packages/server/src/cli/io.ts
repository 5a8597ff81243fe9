import { chmod, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { type ProgramIo, processIo as programIo, type TableOutput } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { makeDirectory } from '../config/directory.ts';
import { fileFailure } from '../config/file-failure.ts';

/** What a command of `msg` touches besides what every program does. */
export interface CliIo extends ProgramIo {
  readonly fetch: typeof globalThis.fetch;
  /** Writes a file that only its owner may read (0600), in a directory made 0700 when it is missing. */
  writePrivateFile(path: string, text: string): Promise<void>;
  /** Removes a file; false when there was none. */
  removeFile(path: string): Promise<boolean>;
  /** The user's home directory. */
  home(): string;
  /** Unix milliseconds. */
  now(): number;
  /** How results are shown to a person; absent: as envelopes. */
  readonly table?: TableOutput;
}

/** True for the failure of reading or removing a file that is not there. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** The error of a file that a command cannot read. */
export function unreadableFile(path: string, cause: unknown): MsgError {
  const { text, situation } = fileFailure(path, cause);
  return new MsgError('MSG_INVALID_ARGUMENT', text, { cause, ...defined({ situation }) });
}

async function writePrivateFile(path: string, text: string): Promise<void> {
  await makeDirectory(dirname(path), 0o700);
  await writeFile(path, '', { mode: 0o600 });
  // The file may have been there with other rights: they are narrowed before the secret goes in.
  await chmod(path, 0o600);
  await writeFile(path, text);
}

async function removeFile(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
}

/** The process itself. */
export function processIo(): CliIo {
  return {
    ...programIo(),
    fetch: (...request) => globalThis.fetch(...request),
    writePrivateFile,
    removeFile,
    home: homedir,
    // The engine's clock stays unloaded: client commands start without the service.
    now: () => performance.timeOrigin + performance.now(),
  };
}
