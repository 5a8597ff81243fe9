import type { Clock } from '@msg/foundation/clock';
import type { ChannelRegistry } from './registry/contract.ts';

/**
 * Live subscribers count as activity. A channel is touched at half of its TTL: another node may sweep before this node's
 * next sweep.
 */
export class SubscriberActivity {
  readonly #registry: ChannelRegistry;
  readonly #clock: Clock;
  readonly #subscribed: () => Iterable<string>;
  /** When the subscribers of a channel last counted as its activity, monotonic time. */
  #touchedAt: ReadonlyMap<string, number> = new Map();

  /** @param subscribed channels with live subscribers on this node, which stay open; default: they do not */
  constructor(registry: ChannelRegistry, clock: Clock, subscribed: () => Iterable<string> = () => []) {
    this.#subscribed = subscribed;
    this.#registry = registry;
    this.#clock = clock;
  }

  /** Touches those channels that are due. */
  async note(): Promise<void> {
    const now = this.#clock.monotonic();
    const touchedAt = new Map<string, number>();
    for (const name of this.#subscribed()) {
      const last = this.#touchedAt.get(name) ?? Number.NEGATIVE_INFINITY;
      const ttlMs = this.#registry.peek(name)?.ttlMs ?? 0;
      const isDue = now - last >= ttlMs / 2;
      if (isDue) await this.#registry.touch(name);
      touchedAt.set(name, isDue ? now : last);
    }
    this.#touchedAt = touchedAt;
  }
}
