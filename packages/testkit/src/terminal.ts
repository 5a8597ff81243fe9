import { spawn } from 'node:child_process';
import { cleanEnv, MSG_BIN } from './cli.ts';

/** How the terminal is. */
export interface TerminalOptions {
  readonly columns: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs `msg` with both output streams on a pseudo-terminal; answers its exit code and what the terminal got. */
export function runOnTerminal(
  args: readonly string[],
  { columns, env }: TerminalOptions,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const command = [process.execPath, MSG_BIN, ...args].map(quoted).join(' ');
  return new Promise((resolve, reject) => {
    // `script` of util-linux opens the terminal and ends with the code of the command.
    const child = spawn('script', ['-qec', `stty cols ${columns}; exec ${command}`, '/dev/null'], {
      env: cleanEnv({ TERM: 'xterm', NO_COLOR: undefined, FORCE_COLOR: undefined, ...env }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    child.on('error', reject);
    child.on('close', code => resolve({ code, text: text.replaceAll('\r\n', '\n') }));
  });
}
