import { setTimeout as pause } from 'node:timers/promises';
import { createRpcClient } from '@msg/core';

/** Longer than a thread stalls; a call to one that has ended, or loops, is made again with its key. */
const CALL_MS = 5000;
const PAUSE_MS = 20;

/** Publishes a number per channel, each after the one before was taken; again, with its key, until it is. */
export class Traffic {
  readonly #rpc;
  readonly #everyMs: number;
  readonly #loops: Promise<void>[];
  readonly #sent = new Map<string, number>();
  #isOver = false;
  /** Numbers that go out at once, without a pause. */
  #urgent = 0;
  /** Calls that failed and were made again. */
  retries = 0;

  constructor(server: { url: string; token: string }, channels: readonly string[], perSecond: number) {
    this.#rpc = createRpcClient<AbortSignal>({
      server: server.url,
      token: server.token,
      fetch,
      signal: () => AbortSignal.timeout(CALL_MS),
    });
    this.#everyMs = (channels.length * 1000) / perSecond;
    this.#loops = channels.map(channel => this.#publishInto(channel));
  }

  get total(): number {
    return [...this.#sent.values()].reduce((sum, n) => sum + n, 0);
  }

  /** The number of the last publication that was taken, by channel. */
  sent(): ReadonlyMap<string, number> {
    return new Map(this.#sent);
  }

  /** Lets so many numbers of each channel out without a pause. */
  hurry(numbers: number): void {
    this.#urgent += numbers * this.#loops.length;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async #publishInto(name: string): Promise<void> {
    let due = Date.now();
    for (let n = 1; !this.#isOver; n++) {
      const data = new TextEncoder().encode(JSON.stringify({ n }));
      while (!(await this.#take({ name, data, idempotency_key: `n${n}` }))) await pause(PAUSE_MS);
      this.#sent.set(name, n);
      due += this.#everyMs;
      if (this.#urgent > 0) {
        this.#urgent--;
        due = Date.now();
      } else if (due > Date.now()) await pause(due - Date.now());
    }
  }

  async #take(request: { name: string; data: Uint8Array; idempotency_key: string }): Promise<boolean> {
    try {
      await this.#rpc.call('Publish', request);
      return true;
    } catch {
      this.retries++;
      return false;
    }
  }
}
