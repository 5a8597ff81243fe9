import { spawn, spawnSync } from 'node:child_process';

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The program is ended after this. */
  readonly timeoutMs?: number;
}

/** Runs a program to its end and collects what it writes. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' }),
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.once('error', reject);
    child.once('close', status =>
      resolve({ status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
  });
}

/** As {@link run}; a failure is an error with what the program wrote. */
export async function mustRun(program: string, args: readonly string[], options?: RunOptions): Promise<Run> {
  const done = await run(program, args, options);
  if (done.status === 0) return done;
  const written = `${done.stdout}${done.stderr}`.slice(-4000);
  throw new Error(`${[program, ...args].join(' ')} ended with ${done.status}:\n${written}`);
}

/** The first line that a program says of its version; `undefined` when it cannot be run. */
export function versionOf(program: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? (stdout.split('\n', 1)[0] ?? '') : undefined;
}
