import { readSync, writeSync } from 'node:fs';

/** Between two looks at an input that holds nothing, or an output that takes nothing. */
const PAUSE_MS = 5;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Reads the next line of the standard input, without an event loop, which a run must find empty; undefined at its end. */
export function nextLine(): string | undefined {
  const bytes: number[] = [];
  const byte = new Uint8Array(1);
  for (;;) {
    if (repeated(() => readSync(0, byte)) === 0) return undefined;
    if (byte[0] === 0x0a) return Buffer.from(bytes).toString();
    bytes.push(byte[0] ?? 0);
  }
}

/** Writes a line to the standard output. */
export function writeLine(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let from = 0; from < bytes.length; ) from += repeated(() => writeSync(1, bytes, from));
}

/** Pipes of a process that Node.js has started may not wait by themselves. */
function repeated(call: () => number): number {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
  }
}
