import { Readable } from 'node:stream';
import { runProgram, type TerminalFacts } from '@msg/command-line';
import type { CliEnvironment } from '#src/cli/io.ts';
import { processIo } from '#src/cli/io.ts';
import { MSG } from '#src/cli/program.ts';

/** What a command that ran in this process left behind. */
export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The parsed standard output; `undefined` when there is none or it is no JSON. */
  readonly envelope: CliEnvelope | undefined;
}

export interface CliEnvelope {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface CliRunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** What the streams are; default: no terminals. */
  readonly terminal?: TerminalFacts;
  /** Home directory; default one that does not exist. */
  readonly home?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
  /** Ends a command that goes on by itself, as Ctrl-C does. */
  readonly interrupted?: AbortSignal;
  /** Called with each text on standard output while the command runs. */
  readonly onOutput?: (text: string) => void;
  /** Called with each text on standard error while the command runs. */
  readonly onError?: (text: string) => void;
}

function parsed(text: string): CliEnvelope | undefined {
  try {
    return JSON.parse(text) as CliEnvelope; // what the tests then look at
  } catch {
    return undefined;
  }
}

/** Runs one command line in this process: real files and sockets, output collected. */
export async function runCli(args: readonly string[], options: CliRunOptions = {}): Promise<CliRun> {
  const { interrupted = new AbortController().signal } = options;
  let stdout = '';
  let stderr = '';
  const io: CliEnvironment = {
    ...processIo(),
    out(text) {
      stdout += text;
      options.onOutput?.(text);
    },
    err(text) {
      stderr += text;
      options.onError?.(text);
    },
    env: options.env ?? {},
    terminal: options.terminal ?? { out: false, err: false, columns: undefined },
    readStdin: async () => new TextEncoder().encode(options.stdin ?? ''),
    stdinPieces: () => Readable.from([Buffer.from(options.stdin ?? '')]),
    home: () => options.home ?? '/nonexistent',
    ...(options.interrupted === undefined ? {} : { interrupted: () => interrupted }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    ...(options.now === undefined ? {} : { now: options.now }),
  };
  const code = await runProgram(MSG, args, io);
  return { code, stdout, stderr, envelope: parsed(stdout) };
}
