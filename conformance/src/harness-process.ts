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
  #port = PORT;

  /** Starts it on the port that the suites are bound to. */
  static async start(profile: ProfileName, args: readonly string[] = []): Promise<HarnessProcess> {
    await requirePortFree();
    return await HarnessProcess.#started(profile, args);
  }

  /** Starts it on a free port of 127.0.0.1. */
  static startOnFreePort(profile: ProfileName): Promise<HarnessProcess> {
    return HarnessProcess.#started(profile, ['--free-port']);
  }

  static async #started(profile: ProfileName, args: readonly string[]): Promise<HarnessProcess> {
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

  get port(): number {
    return this.#port;
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
        const port = /listening (\d+)/.exec(chunk.toString())?.[1];
        if (port === undefined) return;
        clearTimeout(timeout);
        this.#port = Number(port);
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
