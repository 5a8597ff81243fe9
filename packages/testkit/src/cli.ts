import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { defined } from '@msg/foundation/json';

/** Path of the `msg` binary of this repository. */
export const MSG_BIN = fileURLToPath(new URL('../../server/bin/msg.js', import.meta.url));

/** What a finished command left behind. */
export interface CommandResult {
  /** Exit code; `null` when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** Added to an environment without any MSG_ variable; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Bytes of standard input; default none. */
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  /** Path of another `msg` than this repository's. */
  readonly program?: string;
}

/** A home directory without a stored login. */
const NO_HOME = '/proc/no-home';

/** The environment of this process without what `msg` reads — variables, a stored login — and with what is given. */
export function cleanEnv(extra: CommandOptions['env'] = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MSG_'));
  return { ...Object.fromEntries(inherited), HOME: NO_HOME, ...extra };
}

/** Runs `msg` with arguments until it ends. */
export function runMsg(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [options.program ?? MSG_BIN, ...args], {
      env: cleanEnv(options.env),
      ...defined({ cwd: options.cwd }),
      stdio: 'pipe',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', code => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => {}); // the command may end without reading
    child.stdin.end(options.stdin ?? '');
  });
}
