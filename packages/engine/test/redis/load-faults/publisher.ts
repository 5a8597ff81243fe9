import { redisBackends } from '@msg/engine/redis';
import { systemClock } from '@msg/foundation/clock';
import { openRedis, type RedisStore } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { Harness, OPEN_POLICY } from '../../harness.ts';
import type { Prng } from '../../model/prng.ts';
import { CHANNELS } from './channels.ts';
import type { Stage } from './scenarios.ts';

/** Publications per channel and second: 550 a second over all channels. */
const PER_SECOND = 11;
const RETRY_MS = 50;
const PAD = 200;

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

/**
 * Publishes without end into all channels, numbered. What fails has an unknown outcome, so it is published again with
 * the same idempotency key until it is known to be stored: every number is in the stream once.
 */
export class Publisher {
  /** Publishes that were answered. */
  stored = 0;
  /** Publishes that failed and were repeated. */
  failed = 0;
  /** The longest time that one publish took to succeed or fail, ms. */
  longestMs = 0;
  readonly #harness: Harness;
  readonly #store: RedisStore;
  readonly #random: Prng;
  readonly #next = new Map<string, number>();
  readonly #loops: Promise<void>[] = [];
  readonly #begun = performance.now();
  #ended = 0;
  #stopping = false;
  #closed = false;
  #lastFailure: unknown;

  private constructor(harness: Harness, store: RedisStore, random: Prng) {
    this.#harness = harness;
    this.#store = store;
    this.#random = random;
  }

  /** `window`: how many publications a stream keeps. */
  static async start(
    { publisher: address, partitions = 0 }: Stage,
    window: number,
    random: Prng,
  ): Promise<Publisher> {
    const store = await openRedis({ address });
    const policy = { ...OPEN_POLICY, streamOptions: () => ({ size: window, ttlMs: 300_000 }) };
    const backends = redisBackends([store], { partitions });
    const harness = await Harness.start({ ...backends, policy, clock: systemClock });
    const created = new Publisher(harness, store, random);
    created.#loops.push(...CHANNELS.map((channel, index) => created.#publishInto(channel, index)));
    return created;
  }

  /** Publishes stored per second since the start. */
  get rate(): number {
    return (this.stored * 1000) / ((this.#ended || performance.now()) - this.#begun);
  }

  /** How many publications are known to be stored in a channel: the next number. */
  count(channel: string): number {
    return this.#next.get(channel) ?? 0;
  }

  /** Resolves when the publishes under way are stored. Rejects after `withinMs`, with the last failure as cause. */
  async finish(withinMs: number): Promise<void> {
    this.#stopping = true;
    let done = false;
    const ended = Promise.all(this.#loops).then(() => {
      done = true;
    });
    await eventually('the last publishes are stored', () => done, withinMs).catch(error => {
      throw new Error(`${this.stored} stored, ${this.failed} failed`, { cause: this.#lastFailure ?? error });
    });
    await ended;
    this.#ended = performance.now();
  }

  /** Ends at once; publishes under way fail. */
  async close(): Promise<void> {
    this.#stopping = true;
    this.#closed = true;
    await this.#harness.stop();
    this.#store.close();
  }

  async #publishInto(channel: string, index: number): Promise<void> {
    const begun = performance.now() + (index * 1000) / (PER_SECOND * CHANNELS.length);
    for (let n = 0; !this.#stopping; n++) {
      await this.#publish(channel, n);
      this.#next.set(channel, n + 1);
      // what an outage delayed is caught up with
      await pause(Math.max(0, begun + ((n + 1) * 1000) / PER_SECOND - performance.now()));
    }
  }

  async #publish(channel: string, n: number): Promise<void> {
    const data = Buffer.from(JSON.stringify({ n, pad: 'x'.repeat(this.#random.below(PAD)) }));
    for (;;) {
      const begun = performance.now();
      try {
        await this.#harness.node.publish(channel, data, { idempotencyKey: String(n) });
        this.stored++;
        return;
      } catch (error) {
        this.failed++;
        this.#lastFailure = error;
        if (this.#closed) return;
        await pause(RETRY_MS);
      } finally {
        this.longestMs = Math.max(this.longestMs, performance.now() - begun);
      }
    }
  }
}
