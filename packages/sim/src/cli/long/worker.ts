import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PLATFORM } from '../run-process.ts';
import { type Finished, lostSeed, type Task } from './finished.ts';

const PLAY_TASKS = join(import.meta.dirname, 'play-tasks.ts');
/** Longest real time of one seed; a worker that takes longer is ended. */
const LONGEST_MS = 14_400_000;
/** Of what a worker says before it ends. */
const LONGEST_REASON = 2000;

interface WorkerEvents {
  /** The worker waits for its next seed. */
  readonly finished: (worker: Worker, seed: Finished) => void;
  /** The process has ended, with the seed that it played; `lost` if that is a finding. */
  readonly ended: (worker: Worker, task: Task | undefined, lost: Finished | undefined) => void;
}

/** A process that plays one seed after the other. */
export class Worker {
  readonly #child: ChildProcessWithoutNullStreams;
  #task: Task | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #said = '';

  constructor({ finished, ended }: WorkerEvents) {
    this.#child = spawn(process.execPath, [...PLATFORM, PLAY_TASKS], { stdio: 'pipe' });
    this.#child.stdin.on('error', () => {}); // its end is told below
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-LONGEST_REASON);
    });
    createInterface({ input: this.#child.stdout }).on('line', line => {
      if (!line.startsWith('{')) return;
      this.#rest();
      finished(this, JSON.parse(line) as Finished); // of play-tasks.ts
    });
    this.#child.on('close', (exit, signal) => {
      const task = this.#task;
      this.#rest();
      const reason = `the process of the run ended: ${this.#said.trim() || signal || `exit code ${exit}`}`;
      ended(this, task, task === undefined || isInterrupted(signal) ? undefined : lostSeed(task, reason));
    });
  }

  /** The seed that it plays. */
  get task(): Task | undefined {
    return this.#task;
  }

  give(task: Task): void {
    this.#task = task;
    this.#watchdog = setTimeout(() => this.#child.kill('SIGKILL'), LONGEST_MS);
    this.#child.stdin.write(`${JSON.stringify(task)}\n`);
  }

  /** Ends it after the seed that it plays. */
  close(): void {
    this.#child.stdin.end();
  }

  #rest(): void {
    clearTimeout(this.#watchdog);
    this.#task = undefined;
  }
}

/** Ended from outside, as by Ctrl-C in a terminal: the seed counts as not played. */
function isInterrupted(signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGINT' || signal === 'SIGTERM' || signal === 'SIGHUP';
}
