import { once } from 'node:events';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';

/** What a command touches of the outside world. Tests pass their own. */
export interface CliIo {
  /** Writes a text to standard output; the text brings its own newline. */
  out(text: string): void;
  err(text: string): void;
  /** Resolves when whoever reads standard output can take more. */
  outTaken(): Promise<void>;
  /** Aborted by Ctrl-C or SIGTERM; from the first call on these no longer end the process. */
  interrupted(): AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof globalThis.fetch;
  readStdin(): Promise<Uint8Array>;
  readFile(path: string): Promise<Uint8Array>;
  /** Writes a file that only its owner may read (0600), in a directory made 0700 when it is missing. */
  writePrivateFile(path: string, text: string): Promise<void>;
  /** Removes a file; false when there was none. */
  removeFile(path: string): Promise<boolean>;
  /** The user's home directory. */
  home(): string;
  /** Unix milliseconds. */
  now(): number;
}

/** True for the failure of reading or removing a file that is not there. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
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

async function outTaken(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** The process itself. */
export function processIo(): CliIo {
  return {
    out: text => process.stdout.write(text),
    err: text => process.stderr.write(text),
    outTaken,
    interrupted,
    env: process.env,
    fetch: (...request) => globalThis.fetch(...request),
    readStdin: () => buffer(process.stdin),
    readFile: path => readFile(path),
    writePrivateFile,
    removeFile,
    home: homedir,
    // The engine's clock stays unloaded: client commands start without the service.
    now: () => performance.timeOrigin + performance.now(),
  };
}
