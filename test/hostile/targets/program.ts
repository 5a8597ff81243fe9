import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@msg/testkit';
import { MEASURED_ENV } from './child-options.ts';
import { failureLines } from './failure-lines.ts';

/** A Node program that prints a line when it listens. */
export class Program {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #stdout = '';
  #stderr = '';

  private constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, ['--conditions=msg-source', ...args], {
      env: { ...process.env, ...MEASURED_ENV },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = once(this.#child, 'close');
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
  }

  /** Starts it and waits for its first line. */
  static async start(args: readonly string[]): Promise<Program> {
    const program = new Program(args);
    await eventually('the first line', () => program.#stdout.includes('\n') || !program.isRunning());
    if (!program.isRunning()) throw new Error(`ended before it listened:\n${program.#stderr}`);
    return program;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get firstLine(): string {
    return this.#stdout.slice(0, this.#stdout.indexOf('\n'));
  }

  isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Lines of standard error that speak of a failure of the program. */
  failures(): readonly string[] {
    return failureLines(this.#stderr);
  }

  async stop(): Promise<void> {
    if (!this.isRunning()) return;
    this.#child.kill('SIGTERM');
    const force = setTimeout(() => this.#child.kill('SIGKILL'), 8000);
    await this.#ended;
    clearTimeout(force);
  }
}
