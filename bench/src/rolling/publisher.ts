import { randomUUID } from 'node:crypto';
import { createRpcClient, type RpcClient } from '@msg/core';
import { channelName } from '../channels.ts';
import type { Numbered } from '../load/rolling-client.ts';
import { nowUs } from '../stamp.ts';

const RETRY_MS = 50;
const CALL_MS = 5000;
const GIVE_UP = 400;

/**
 * Publishes numbers to one channel after the other. What fails is repeated with its idempotency key, at the next node
 * where one does not answer, as a backend does.
 */
export class NumberedPublisher {
  /** The last number of each channel. */
  readonly last: number[];
  /** Calls that failed and were repeated. */
  repeated = 0;
  readonly #rpc: RpcClient;
  readonly #underWay = new Map<number, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #next = 0;
  #failure: unknown;

  constructor(urls: readonly string[], token: string, channels: number) {
    const signal = () => AbortSignal.timeout(CALL_MS);
    this.#rpc = createRpcClient({ server: urls, token, fetch, signal });
    this.last = new Array<number>(channels).fill(0);
  }

  async open(): Promise<void> {
    for (const channel of this.last.keys())
      await this.#rpc.call('OpenPublic', { name: channelName(channel), ttl_seconds: 86_400 });
  }

  start(everyMs: number): void {
    this.#timer = setInterval(() => this.#publishNext(), everyMs);
  }

  /** Stops, and resolves when everything that was begun is published. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay.values());
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Numbers of a channel are in order: one whose last publish is under way is left out. */
  #publishNext(): void {
    const channel = this.#next++ % this.last.length;
    if (this.#underWay.has(channel)) return;
    const publishing = this.#publish(channel).catch((error: unknown) => {
      this.#failure = error;
    });
    this.#underWay.set(channel, publishing);
    void publishing.then(() => this.#underWay.delete(channel));
  }

  async #publish(channel: number): Promise<void> {
    const n = (this.last[channel] ?? 0) + 1;
    const data: Numbered = { n, us: nowUs() };
    const request = { name: channelName(channel), data, idempotency_key: randomUUID() };
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#rpc.call('Publish', request);
        break;
      } catch (error) {
        if (attempt === GIVE_UP) throw error;
        this.repeated++;
        await new Promise(resolve => setTimeout(resolve, RETRY_MS));
      }
    }
    this.last[channel] = n;
  }
}
