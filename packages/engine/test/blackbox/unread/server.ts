import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import type { NodeStats } from '@msg/engine';

const MAIN = new URL('./server-main.ts', import.meta.url).pathname;
const KIB = 1024;

/** The node of `server-main.ts`. It ends with this process, however this one ends. */
export class UnreadServer {
  readonly origin: string;
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  private constructor(child: ChildProcess, lines: Interface, origin: string) {
    this.#child = child;
    this.#lines = lines;
    this.origin = origin;
  }

  /** `store`: address of the Redis that holds the streams; undefined: they are in the process. */
  static async start(store?: string): Promise<UnreadServer> {
    const args = ['--expose-gc', '--conditions=msg-source', MAIN, ...(store === undefined ? [] : [store])];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
    if (typeof line !== 'string') throw new Error(`the node did not start: ${line}`);
    return new UnreadServer(child, lines, line);
  }

  stats(): Promise<NodeStats> {
    return this.#ask('');
  }

  /** Resident memory with nothing in it that nobody holds, bytes. */
  async memory(): Promise<number> {
    await this.#ask('collect');
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * KIB;
  }

  async #ask(question: string): Promise<NodeStats> {
    const answer = once(this.#lines, 'line');
    this.#child.stdin?.write(`${question}\n`);
    const [line] = await answer;
    return JSON.parse(String(line)); // written by server-main.ts
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await gone;
  }
}
