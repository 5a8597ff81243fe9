import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/** Which of the streams are terminals. */
export interface TerminalFacts {
  readonly out: boolean;
  readonly err: boolean;
  /** Columns of the one that `out` writes to; `undefined` where that is unknown. */
  readonly columns: number | undefined;
}

/** What every command may touch of the world around the program. Tests pass their own. */
export interface ProgramIo {
  /** Writes a text to standard output; the text brings its own newline. */
  out(text: string): void;
  err(text: string): void;
  /** Resolves when the reader of standard output can take more. */
  outTaken(): Promise<void>;
  /** Aborted by the first SIGINT or SIGTERM, which does not end the process; a second one does. */
  interrupted(): AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: TerminalFacts;
  readStdin(): Promise<Uint8Array>;
  readFile(path: string): Promise<Uint8Array>;
}

async function outTaken(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}

/** The process itself. */
export function processIo(): ProgramIo {
  return {
    out: text => process.stdout.write(text),
    err: text => process.stderr.write(text),
    outTaken,
    interrupted,
    env: process.env,
    terminal: {
      out: process.stdout.isTTY === true,
      err: process.stderr.isTTY === true,
      columns: process.stdout.columns || undefined, // 0 where the terminal does not know
    },
    readStdin: () => buffer(process.stdin),
    readFile: path => readFile(path),
  };
}
