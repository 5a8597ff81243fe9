import type { Broker } from '../contract.ts';
import { Interest } from './interest.ts';

/**
 * The channels that main or a thread is interested in. The first interest of a channel subscribes the process at the
 * broker, the last one to end unsubscribes it; both run one after the other per channel (threads 4.1).
 */
export class Interests {
  readonly #broker: Broker;
  readonly #channels = new Map<string, Interest>();
  /** Channels that are being unsubscribed. */
  readonly #leaving = new Map<string, Promise<void>>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  /** Channels with interest. */
  get size(): number {
    return this.#channels.size;
  }

  get(channel: string): Interest | undefined {
    return this.#channels.get(channel);
  }

  /** Adds an interest; resolves when the broker delivers the channel. Rejects with its error, without the interest. */
  async add(
    channel: string,
    set: (interest: Interest) => void,
    undo: (interest: Interest) => void,
  ): Promise<void> {
    let interest = this.#channels.get(channel);
    if (interest === undefined) {
      const left = this.#leaving.get(channel);
      const ready =
        left === undefined
          ? this.#broker.subscribe(channel)
          : left.then(() => this.#broker.subscribe(channel));
      interest = new Interest(ready);
      this.#channels.set(channel, interest);
    }
    set(interest);
    try {
      await interest.ready;
    } catch (error) {
      undo(interest);
      if (interest.isEmpty && this.#channels.get(channel) === interest) this.#channels.delete(channel);
      throw error;
    }
  }

  /** Ends an interest. */
  async remove(channel: string, undo: (interest: Interest) => void): Promise<void> {
    const interest = this.#channels.get(channel);
    if (interest === undefined) return;
    undo(interest);
    if (!interest.isEmpty) return;
    this.#channels.delete(channel);
    const left = interest.ready.then(
      () => this.#broker.unsubscribe(channel),
      () => {}, // it was never subscribed
    );
    const settled = left.catch(() => {});
    this.#leaving.set(channel, settled);
    void settled.then(() => {
      if (this.#leaving.get(channel) === settled) this.#leaving.delete(channel);
    });
    await left;
  }

  /** Ends every interest of a thread. */
  async removeThread(bit: number): Promise<void> {
    const channels = [...this.#channels].filter(([, { mask, watching }]) => ((mask | watching) & bit) !== 0);
    await Promise.all(
      channels.map(([channel]) =>
        this.remove(channel, interest => {
          interest.unsubscribe(bit);
          interest.unwatch(bit);
        }),
      ),
    );
  }
}
