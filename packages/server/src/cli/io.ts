import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/** What a command touches of the outside world. Tests pass their own. */
export interface CliIo {
  /** Writes a text to standard output; the text brings its own newline. */
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof globalThis.fetch;
  readStdin(): Promise<Uint8Array>;
  readFile(path: string): Promise<Uint8Array>;
  /** Unix milliseconds. */
  now(): number;
}

/** The process itself. */
export function processIo(): CliIo {
  return {
    out: text => process.stdout.write(text),
    err: text => process.stderr.write(text),
    env: process.env,
    fetch: (...request) => globalThis.fetch(...request),
    readStdin: () => buffer(process.stdin),
    readFile: path => readFile(path),
    // The engine's clock stays unloaded: client commands start without the service.
    now: () => performance.timeOrigin + performance.now(),
  };
}
