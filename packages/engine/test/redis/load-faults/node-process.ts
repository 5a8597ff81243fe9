import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const MAIN = new URL('./node-main.ts', import.meta.url).pathname;
const KIB = 1024;

/** A node in a process of its own. It ends with this process, however this one ends. */
export class NodeProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** `partitions`: of sharded PUB/SUB. */
  static async start(address: string, partitions = 0): Promise<NodeProcess> {
    const args = ['--conditions=msg-source', MAIN, address, String(partitions)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
    if (typeof line !== 'string') throw new Error(`a node did not start: ${line}`);
    return new NodeProcess(child, line);
  }

  /** Memory in use, bytes; NaN when the process is gone. */
  get memory(): number {
    if (this.#ended) return Number.NaN;
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * KIB;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }

  /** Ends it as a crash does. Safe to call again. */
  async kill(): Promise<void> {
    if (this.#ended) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  get #ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
