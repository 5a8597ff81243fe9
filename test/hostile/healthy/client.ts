import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HealthyReport, HealthyRequest } from './messages.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));

/** Where a healthy client publishes and subscribes. */
export interface HealthyPlace {
  readonly url: string;
  /** Management bearer for the publishes. */
  readonly token: string;
  /** An open public channel that keeps history. */
  readonly channel: string;
}

/** A stock client in a process of its own. */
export class HealthyClient {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts it; it is subscribed then. */
  static async start({ url, token, channel }: HealthyPlace): Promise<HealthyClient> {
    const child = fork(PROGRAM, [url, token, channel], { execArgv: ['--conditions=msg-source'] });
    const client = new HealthyClient(child);
    await client.#next();
    return client;
  }

  /** It publishes from now on. */
  begin(): void {
    this.#send('begin');
  }

  /** It publishes no more; answers what it saw since {@link begin}. */
  async end(): Promise<HealthyReport> {
    const report = this.#next();
    this.#send('end');
    return (await report) as HealthyReport; // our own program's message
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }

  #send(request: HealthyRequest): void {
    this.#child.send(request);
  }

  async #next(): Promise<unknown> {
    const ended = once(this.#child, 'exit').then(() => {
      throw new Error('the healthy client ended');
    });
    ended.catch(() => {});
    const [message] = await Promise.race([once(this.#child, 'message'), ended]);
    return message;
  }
}
