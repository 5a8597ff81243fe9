import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RealtimeNode } from '@msg/engine';
import { type ThreadHost, threadHost } from '@msg/engine/threads';
import { permissivePolicy } from './policy.ts';
import { PROFILE, type ProfileName } from './profiles.ts';
import { PORT } from './server.ts';

const THREAD = new URL('./thread.ts', import.meta.url);

/** One process whose threads share the port of the suites: the kernel gives each some of the connections. */
export class ThreadsHarness {
  readonly port = PORT;
  readonly #host: ThreadHost;
  readonly #main: RealtimeNode;
  readonly #workers: Worker[] = [];

  static async start(profile: ProfileName, threads: number): Promise<ThreadsHarness> {
    const host = threadHost({ onError: console.error });
    const policy = permissivePolicy(PROFILE[profile]);
    const main = new RealtimeNode({ policy, onError: console.error, ...host.backends });
    await main.start();
    const harness = new ThreadsHarness(host, main);
    for (let number = 1; number <= threads; number++) await harness.#startThread(number, profile);
    return harness;
  }

  private constructor(host: ThreadHost, main: RealtimeNode) {
    this.#host = host;
    this.#main = main;
  }

  async #startThread(number: number, profile: ProfileName): Promise<void> {
    const { link, transferList, broken, detach } = this.#host.attach(number);
    const worker = new Worker(THREAD, { workerData: { link, profile }, transferList: [...transferList] });
    worker.on('error', error => console.error(`thread ${number}:`, error));
    broken.catch(error => console.error(`thread ${number}:`, error));
    worker.once('exit', () => void detach());
    this.#workers.push(worker);
    await once(worker, 'message');
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#workers.map(worker => {
        const gone = once(worker, 'exit');
        worker.postMessage('stop');
        return gone;
      }),
    );
    await this.#main.shutdown({ graceMs: 1000 });
  }
}
