import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { eventually } from './eventually.ts';

export interface ShellOptions {
  readonly cwd: string;
  /** Added to the environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A program started as a user types it, in a new process group, so that stopping it ends all of it. */
export class ShellProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(command: string, options: ShellOptions) {
    const settings: SpawnOptions = {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    };
    this.#child = spawn('/bin/sh', ['-c', command], settings);
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.#ended = new Promise(resolve => this.#child.on('close', resolve));
  }

  /** Id of the shell, or of the program it became with `exec`. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits until the output fits; answers the match. */
  async printed(stream: 'stdout' | 'stderr', pattern: RegExp, timeoutMs = 60_000): Promise<RegExpExecArray> {
    let match: RegExpExecArray | null = null;
    const fits = (): boolean => {
      match = pattern.exec(this[stream]);
      if (match === null && this.#child.exitCode !== null)
        throw new Error(`ended:\n${this.stdout}\n${this.stderr}`);
      return match !== null;
    };
    await eventually(`${pattern} in\n${this.stdout}\n${this.stderr}`, fits, timeoutMs);
    return match as unknown as RegExpExecArray;
  }

  /** Waits for the end. Rejects with the output when the exit code is not 0. */
  async succeeded(): Promise<void> {
    const code = await this.#ended;
    if (code !== 0) throw new Error(`exit code ${code}:\n${this.stdout}\n${this.stderr}`);
  }

  /** Ends the whole process group. Safe to call again. */
  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null || this.#child.pid === undefined) return;
    process.kill(-this.#child.pid, 'SIGTERM');
    const force = setTimeout(() => process.kill(-(this.#child.pid as number), 'SIGKILL'), 8000);
    await this.#ended;
    clearTimeout(force);
  }
}
