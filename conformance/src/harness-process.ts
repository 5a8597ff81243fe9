import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { ProfileName } from './harness/profiles.ts';
import { PORT } from './harness/server.ts';

const MAIN = new URL('./harness/main.ts', import.meta.url).pathname;
const START_MS = 20_000;

/** @throws when somebody listens on the port that the suites are bound to. */
export async function requirePortFree(): Promise<void> {
  for (const host of ['127.0.0.1', '::1']) {
    const taken = await new Promise<boolean>(resolve => {
      const socket = createConnection({ port: PORT, host }, () => {
        socket.destroy();
        resolve(true);
      }).once('error', () => resolve(false));
    });
    if (taken) throw new Error(`port ${PORT} is taken: the public suites are bound to it`);
  }
}

/** The server of one suite, in a process of its own. */
export class HarnessProcess {
  readonly #child: ChildProcess;
  #errors = '';

  static async start(profile: ProfileName, args: readonly string[] = []): Promise<HarnessProcess> {
    await requirePortFree();
    const harness = new HarnessProcess(profile, args);
    await harness.#ready();
    return harness;
  }

  private constructor(profile: ProfileName, args: readonly string[]) {
    this.#child = spawn(process.execPath, [...process.execArgv, MAIN, profile, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
  }

  /** What it complained about. */
  get errors(): string {
    return this.#errors;
  }

  #ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`the harness ${why}:\n${this.#errors}`));
      const timeout = setTimeout(() => {
        this.#child.kill('SIGKILL');
        fail('did not start');
      }, START_MS);
      this.#child.once('exit', status => {
        clearTimeout(timeout);
        fail(`ended with ${status}`);
      });
      this.#child.stdout?.on('data', (chunk: Buffer) => {
        if (!chunk.toString().includes('listening')) return;
        clearTimeout(timeout);
        resolve();
      });
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
  }
}
