import { chmod, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { type ProgramIo, processIo as programIo, type TableOutput } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { makeDirectory } from '../config/directory.ts';
import { fileFailure } from '../config/file-failure.ts';

/** The I/O of the commands of `msg` besides that of every program. */
export interface CliEnvironment extends ProgramIo {
  readonly fetch: typeof globalThis.fetch;
  /** Standard input as it comes; its writer waits while nothing is read. It is closed when the signal aborts. */
  stdinPieces(over: AbortSignal): AsyncIterable<Uint8Array>;
  /** Writes a file that only its owner may read (0600); creates a missing directory with 0700. */
  writePrivateFile(path: string, text: string): Promise<void>;
  /** Removes a file; false without one. */
  removeFile(path: string): Promise<boolean>;
  /** The user's home directory. */
  home(): string;
  /** Unix milliseconds. */
  now(): number;
  /** The table form of results; absent: envelopes. */
  readonly table?: TableOutput;
}

/** True for the error of a file that does not exist. */
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
  // An existing file may have wider rights: they are narrowed before the secret is written.
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

/** The I/O of this process. */
export function processIo(): CliEnvironment {
  return {
    ...programIo(),
    fetch: (...request) => globalThis.fetch(...request),
    stdinPieces(over) {
      // A read that waits would keep the process from its end.
      over.addEventListener('abort', () => process.stdin.destroy(), { once: true });
      return process.stdin;
    },
    writePrivateFile,
    removeFile,
    home: homedir,
    // Client commands start without loading the service's clock.
    now: () => performance.timeOrigin + performance.now(),
  };
}
