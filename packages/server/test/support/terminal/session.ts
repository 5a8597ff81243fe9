import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnv } from '@msg/testkit';

/** Stands before the exit code that ends the output of one command: a sign that no output holds. */
export const END = '\u241e';

const PROGRAM = join(import.meta.dirname, 'program.ts');

/** How the command lines of a session run. */
export interface SessionOptions {
  /** Columns of the pseudo-terminal; absent: standard output is a pipe. */
  readonly columns?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the lines are kept. */
  readonly folder: string;
  /** Called with all output so far, whenever there is more. */
  readonly onOutput?: (output: string) => void;
}

/** What one command left on standard output, or on the terminal. */
export interface Output {
  readonly text: string;
  readonly code: number;
}

/** Runs command lines one after the other, as a person does at one terminal; answers the output of each. */
export async function runSession(
  lines: readonly (readonly string[])[],
  { columns, env, folder, onOutput }: SessionOptions,
): Promise<readonly Output[]> {
  const file = join(folder, 'lines.json');
  writeFileSync(file, JSON.stringify(lines));
  const words = [process.execPath, '--conditions=msg-source', PROGRAM, file];
  const onTerminal = ['script', '-qec', `stty cols ${columns}; exec ${words.join(' ')}`, '/dev/null'];
  const [program = '', ...args] = columns === undefined ? words : onTerminal;
  const child = spawn(program, args, {
    env: cleanEnv({ TERM: 'xterm', NO_COLOR: undefined, FORCE_COLOR: undefined, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onOutput?.(stdout + stderr);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    onOutput?.(stdout + stderr);
  });
  await new Promise(resolve => child.on('close', resolve));
  const outputs = [...stdout.replaceAll('\r\n', '\n').matchAll(new RegExp(`([^]*?)${END}(\\d+)\\n`, 'g'))];
  if (outputs.length < lines.length) throw new Error(`the session ended early:\n${stdout}\n${stderr}`);
  return outputs.map(([, text = '', code]) => ({ text, code: Number(code) }));
}
