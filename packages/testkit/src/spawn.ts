import { type ChildProcess, spawn } from 'node:child_process';
import { defined } from '@msg/foundation/json';
import { cleanEnv, MSG_BIN } from './cli.ts';

/** A running `msg serve`. */
export interface MsgServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `ws://127.0.0.1:<port>/connection/websocket` */
  readonly websocketUrl: string;
  /** The bootstrap management token. */
  readonly token: string;
  readonly pid: number;
  /** Everything written so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  exited(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Ends the process, by force if it does not go. Safe to call again. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** Arguments after `serve`; the listen address is added: a free port on the loopback interface. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Listen on this port instead of a free one. */
  readonly port?: number;
  /** How long the start may take, milliseconds; default a minute. */
  readonly startMs?: number;
  /** Working directory; default this process's own. */
  readonly cwd?: string;
  /** Path of another `msg` than this repository's. */
  readonly program?: string;
  /** Flags of Node.js. */
  readonly flags?: readonly string[];
  /** A program, with its arguments, that becomes the server when it has done its work: `nice`, `prlimit`. */
  readonly through?: readonly string[];
}

/** A start takes half a second, and longer on a machine with other work. */
const START_MS = 60_000;
/** A server that drains ends within six seconds. */
const STOP_MS = 20_000;
const TOKEN_LINE = /bootstrap mgmt token[^\n]*\n([^\n]+)\n/;
const ADDRESS = /"?addr"?[:=] ?"?127\.0\.0\.1:(\d+)/;

function describe(child: ChildProcess, stderr: string): string {
  return `msg serve ended with ${child.exitCode ?? child.signalCode} before it listened:\n${stderr}`;
}

/** Starts `msg serve` from this repository and waits until it listens. */
export async function startMsg(options: ServeOptions = {}): Promise<MsgServer> {
  const serve = [
    ...(options.flags ?? []),
    options.program ?? MSG_BIN,
    'serve',
    '--addr',
    `127.0.0.1:${options.port ?? 0}`,
    ...(options.args ?? []),
  ];
  const [program = '', ...args] = [...(options.through ?? []), process.execPath, ...serve];
  const child = spawn(program, args, {
    env: cleanEnv(options.env),
    ...defined({ cwd: options.cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.on('error', ({ message }) => {
    stderr += message;
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const listening = new Promise<void>(resolve => {
    const look = (): void => {
      if (!ADDRESS.test(stderr)) return;
      child.stderr.off('data', look);
      resolve();
    };
    child.stderr.on('data', look);
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), options.startMs ?? START_MS);
  await Promise.race([listening, ended]);
  clearTimeout(limit);
  const port = ADDRESS.exec(stderr)?.[1];
  if (port === undefined) throw new Error(describe(child, stderr));
  return {
    url: `http://127.0.0.1:${port}`,
    websocketUrl: `ws://127.0.0.1:${port}/connection/websocket`,
    token: TOKEN_LINE.exec(stderr)?.[1] ?? '',
    pid: child.pid ?? 0,
    output: () => ({ stdout, stderr }),
    kill: signal => void child.kill(signal),
    exited: () => ended,
    async stop() {
      if (isOver()) return;
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(force);
    },
  };
}
