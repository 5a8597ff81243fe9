import type { Clock } from '@msg/foundation/clock';
import type { ChannelRegistry } from './registry/contract.ts';

/**
 * Live subscribers count as activity. A channel is touched at half of its TTL: another node may sweep before this node's
 * next sweep.
 */
export class SubscriberActivity {
  readonly #registry: ChannelRegistry;
  readonly #clock: Clock;
  /** When the subscribers of a channel last counted as its activity, monotonic time. */
  #touchedAt: ReadonlyMap<string, number> = new Map();

  constructor(registry: ChannelRegistry, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  /** Touches these channels, those that are due. */
  async note(names: Iterable<string>): Promise<void> {
    const now = this.#clock.monotonic();
    const touchedAt = new Map<string, number>();
    for (const name of names) {
      const last = this.#touchedAt.get(name) ?? Number.NEGATIVE_INFINITY;
      const ttlMs = this.#registry.peek(name)?.ttlMs ?? 0;
      const isDue = now - last >= ttlMs / 2;
      if (isDue) await this.#registry.touch(name);
      touchedAt.set(name, isDue ? now : last);
    }
    this.#touchedAt = touchedAt;
  }
}
