import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Meter } from './metered-dashdoc.ts';

const PROGRAM = new URL('./metered-dashdoc.ts', import.meta.url);
const FLAGS = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', '--expose-gc'];

/** `dashdoc serve` in a process of its own. */
export class DashdocProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Serves the documents below a folder, on a free port unless one is given. */
  static async serve(root: string, port = 0): Promise<DashdocProcess> {
    const words = ['serve', '--root', root, '--port', String(port)];
    const child = fork(PROGRAM, words, { execArgv: FLAGS, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    let text = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', code => reject(new Error(`dashdoc ended with ${code}: ${text}`)));
      child.stdout?.on('data', chunk => {
        text += String(chunk);
        const address = / on (http:\S+)\n/.exec(text)?.[1];
        if (address !== undefined) resolve(address);
      });
    });
    return new DashdocProcess(child, url);
  }

  /** What the process says of itself; the stall is that since the question before. */
  async meter(): Promise<Meter> {
    const answer = once(this.#child, 'message');
    this.#child.send('meter');
    const [meter] = (await answer) as [Meter];
    return meter;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
