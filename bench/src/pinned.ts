import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Core of the servers under measurement: they take turns. */
export const SERVER_CORE = 0;
/** Core of the load. */
export const LOAD_CORE = 1;

/** A process of the bench on a core of its own, talked to over IPC: one question, one answer. */
export class PinnedProcess {
  readonly #child: ChildProcess;
  /** Rejects when the process ends before it is told to. */
  readonly #ended: Promise<never>;
  #stopping = false;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((_resolve, reject) => {
      child.once('error', reject);
      child.once('exit', code => {
        if (!this.#stopping) reject(new Error(`a bench process ended with ${code}`));
      });
    });
    // The caller that waits for an answer observes it; between requests no caller waits.
    this.#ended.catch(() => {});
  }

  /**
   * Starts `module` pinned to `core`, or to a list of them as `taskset` takes it (Linux), and waits until it serves
   * questions. `args` are the module's own, `flags` those of Node.
   */
  static async start(
    module: URL,
    core: number | string,
    { args = [], flags = [] }: { args?: readonly string[]; flags?: readonly string[] } = {},
  ): Promise<PinnedProcess> {
    const node = [process.execPath, ...process.execArgv, ...flags, module.pathname, ...args];
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
    const child = spawn('taskset', ['-c', String(core), ...node], { stdio: [...stdio] });
    const started = new PinnedProcess(child);
    await started.#answer();
    return started;
  }

  /** Sends a question and waits for the answer. */
  async ask<Answer>(question: object): Promise<Answer> {
    const answer = this.#answer();
    this.#child.send(question);
    return (await answer) as Answer;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#stopping = true;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  async #answer(): Promise<unknown> {
    const [message] = await Promise.race([once(this.#child, 'message'), this.#ended]);
    return message;
  }
}

/** Answers the questions of the parent process, one after the other. */
export function serveQuestions<Question>(answer: (question: Question) => object | Promise<object>): void {
  process.on('message', async (question: Question) => {
    process.send?.(await answer(question));
  });
  process.send?.({ ready: true });
}
