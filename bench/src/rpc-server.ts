import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVER_CORE } from './pinned.ts';

const START_MS = 20_000;
/** Linux counts the CPU time that it tells of other processes in hundredths of a second. */
const TICK_US = 10_000;
const ANSWER = /^\{"answer":(\d+)\}$/gm;
const ADDRESS = /"addr":"127\.0\.0\.1:(\d+)"/;

/** How a server starts. */
export interface ServerStart {
  readonly program?: string;
  readonly address?: RegExp;
  /** The cores that it may use, as `taskset` takes them; the servers' core where they are left out. */
  readonly cpus?: string;
  /** Variables besides those of the bench. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A server process on the servers' core that knows nothing of the bench. What it writes goes into a file. */
export class RpcServer {
  readonly port: number;
  /** From its start until it told its address, milliseconds. */
  readonly startedMs: number;
  /** What it wrote before it listened. */
  readonly announcement: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(
    child: ChildProcess,
    folder: string,
    announcement: string,
    { port, startedMs }: { readonly port: number; readonly startedMs: number },
  ) {
    this.#child = child;
    this.startedMs = startedMs;
    this.#folder = folder;
    this.announcement = announcement;
    this.port = port;
  }

  /**
   * Starts Node, or another program, with these arguments and waits until it announces its address on standard error;
   * `address` finds the port.
   */
  static async start(
    args: readonly string[],
    { program = process.execPath, address = ADDRESS, cpus = String(SERVER_CORE), env = {} }: ServerStart = {},
  ): Promise<RpcServer> {
    const folder = mkdtempSync(join(tmpdir(), 'msg-bench-'));
    const path = join(folder, 'stderr');
    const file = openSync(path, 'a');
    const child = spawn('taskset', ['-c', cpus, program, ...args], {
      stdio: ['ignore', 'ignore', file],
      env: { ...serverEnv(), ...env },
    });
    closeSync(file);
    const begun = performance.now();
    const deadline = begun + START_MS;
    let written = '';
    while (!address.test(written)) {
      if (child.exitCode !== null || performance.now() > deadline) {
        child.kill('SIGKILL');
        throw new Error(`the server did not start:\n${written}`);
      }
      await new Promise(resolve => setTimeout(resolve, 20));
      written = readFileSync(path, 'utf8');
    }
    const port = Number(address.exec(written)?.[1]);
    return new RpcServer(child, folder, written, { port, startedMs: performance.now() - begun });
  }

  /** CPU so far, user and system, all threads, microseconds. */
  cpuUs(): number {
    return cpuOf(readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8'));
  }

  /** CPU so far of each thread of the process by its name, microseconds; threads of one name together. */
  cpuUsByThread(): ReadonlyMap<string, number> {
    const folder = `/proc/${this.#child.pid}/task`;
    const byName = new Map<string, number>();
    for (const task of readdirSync(folder)) {
      const stat = readFileSync(join(folder, task, 'stat'), 'utf8');
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
      byName.set(name, (byName.get(name) ?? 0) + cpuOf(stat));
    }
    return byName;
  }

  /** Files that it has open, sockets among them. */
  openFiles(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length;
  }

  /** From now on {@link peakBytes} is the most memory since this call. Answers what is resident, bytes. */
  watchPeak(): number {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
    return this.#memory('VmRSS');
  }

  /** What is resident now, bytes. */
  residentBytes(): number {
    return this.#memory('VmRSS');
  }

  /** The most memory that was resident since {@link watchPeak}, bytes. */
  peakBytes(): number {
    return this.#memory('VmHWM');
  }

  /** What is resident once nothing more can be collected, bytes; for a server that collects on a signal. */
  async settledBytes(): Promise<number> {
    let lowest = Number.POSITIVE_INFINITY;
    for (let look = 0; look < 10; look++) {
      this.#child.kill('SIGUSR2');
      await new Promise(resolve => setTimeout(resolve, 200));
      lowest = Math.min(lowest, this.#memory('VmRSS'));
    }
    return lowest;
  }

  /** The number that a module which was loaded into it writes on SIGUSR2. */
  async answerToSignal(): Promise<number> {
    const numbers = (): string[] =>
      Array.from(
        readFileSync(join(this.#folder, 'stderr'), 'utf8').matchAll(ANSWER),
        ([, answer = '']) => answer,
      );
    const before = numbers().length;
    this.#child.kill('SIGUSR2');
    while (numbers().length === before) await new Promise(resolve => setTimeout(resolve, 20));
    return Number(numbers().at(-1));
  }

  #memory(name: string): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  }

  /** Ends it, in order or at once, and removes what it wrote. Answers its exit code, null after a signal. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, 'exit');
      this.#child.kill(signal);
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
    return this.#child.exitCode;
  }
}

/** CPU of a line of Linux about a process or a thread, microseconds. */
function cpuOf(stat: string): number {
  // The second field, in parentheses, may hold spaces; `utime` and `stime` are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** This environment without the service's settings. */
function serverEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MSG_')));
}
