/** The node's subscriptions at the store. */
interface Listening {
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): void;
}

/** The channels whose messages come to a node: those that it delivers, and those that it only watches. */
export class ListenedChannels {
  readonly #listening: Listening;
  readonly #delivered = new Set<string>();
  /** How often each is watched. */
  readonly #watched = new Map<string, number>();

  constructor(listening: Listening) {
    this.#listening = listening;
  }

  delivers(channel: string): boolean {
    return this.#delivered.has(channel);
  }

  watches(channel: string): boolean {
    return this.#watched.has(channel);
  }

  /** Resolves once messages are certain to arrive. */
  async deliver(channel: string): Promise<void> {
    await this.#listening.subscribe(channel);
    this.#delivered.add(channel);
  }

  stopDelivering(channel: string): void {
    this.#delivered.delete(channel);
    if (!this.watches(channel)) this.#listening.unsubscribe(channel);
  }

  /** As {@link deliver}, until the returned function is called. */
  async watch(channel: string): Promise<() => void> {
    this.#watched.set(channel, (this.#watched.get(channel) ?? 0) + 1);
    const unwatch = (): void => {
      const others = (this.#watched.get(channel) ?? 0) - 1;
      if (others > 0) {
        this.#watched.set(channel, others);
        return;
      }
      this.#watched.delete(channel);
      if (!this.delivers(channel)) this.#listening.unsubscribe(channel);
    };
    await this.#listening.subscribe(channel).catch(error => {
      unwatch();
      throw error;
    });
    return unwatch;
  }

  clear(): void {
    this.#delivered.clear();
    this.#watched.clear();
  }
}
