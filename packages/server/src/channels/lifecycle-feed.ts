/** A lifecycle event of a channel. `at` is Unix milliseconds. Source: messaging details 5.2. */
export interface LifecycleEvent {
  readonly kind: 'opened' | 'closed' | 'deleted';
  readonly name: string;
  readonly at: number;
}

/** One consumer of the feed. Iterate it; it ends when cancelled. */
export interface LifecycleSubscription extends AsyncIterable<LifecycleEvent> {
  /** Number of events that were dropped because the consumer's buffer was full. */
  readonly dropped: number;
  /** Ends the iteration after the buffered events. Safe to call again. */
  cancel(): void;
}

class Consumer implements LifecycleSubscription {
  dropped = 0;
  readonly #capacity: number;
  readonly #buffer: LifecycleEvent[] = [];
  readonly #detach: (consumer: Consumer) => void;
  #wake: (() => void) | null = null;
  #ended = false;

  constructor(capacity: number, detach: (consumer: Consumer) => void) {
    this.#capacity = capacity;
    this.#detach = detach;
  }

  push(event: LifecycleEvent): void {
    if (this.#buffer.length >= this.#capacity) {
      this.dropped++;
      return;
    }
    this.#buffer.push(event);
    this.#wake?.();
  }

  cancel(): void {
    this.#ended = true;
    this.#detach(this);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LifecycleEvent> {
    for (;;) {
      const event = this.#buffer.shift();
      if (event !== undefined) yield event;
      else if (this.#ended) return;
      else {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        this.#wake = null;
      }
    }
  }
}

/**
 * The lossy feed of lifecycle events: emitting never waits, and a full buffer drops the event for that consumer only. No
 * required step, such as ending subscriptions, depends on it.
 */
export class LifecycleFeed {
  readonly #consumers = new Set<Consumer>();
  readonly #followers = new Set<(event: LifecycleEvent) => void>();

  emit(event: LifecycleEvent): void {
    for (const follower of this.#followers) follower(event);
    for (const consumer of this.#consumers) consumer.push(event);
  }

  /** Adds a consumer with room for `buffer` events (at least 1). */
  subscribe(buffer: number): LifecycleSubscription {
    const consumer = new Consumer(Math.max(1, Math.floor(buffer)), ended => this.#consumers.delete(ended));
    this.#consumers.add(consumer);
    return consumer;
  }

  /** Calls back at each event, within the transition. */
  follow(follower: (event: LifecycleEvent) => void): void {
    this.#followers.add(follower);
  }

  /** Ends every consumer. */
  close(): void {
    for (const consumer of this.#consumers) consumer.cancel();
  }
}
