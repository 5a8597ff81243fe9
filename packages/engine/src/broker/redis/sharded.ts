import type { MaybePromise } from '@msg/foundation/promises';
import type { ClientInfo, Payload } from '@msg/protocol';
import { shardOf } from '@msg/redis/internal';
import type { AppendStore } from '../../append/contract.ts';
import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  PublishResult,
  StreamOptions,
} from '../contract.ts';
import { ShardedAppends } from './appends/sharded-appends.ts';

/** Spreads channels over independent brokers by consistent hashing. At least one. */
export class ShardedBroker implements Broker {
  readonly #shards: readonly Broker[];
  /** Absent unless every shard has append streams. */
  readonly appends: AppendStore | undefined;

  constructor(shards: readonly Broker[]) {
    this.#shards = shards;
    const stores = shards.flatMap(({ appends }) => appends ?? []);
    this.appends =
      stores.length === shards.length
        ? new ShardedAppends(stores, channel => shardOf(channel, stores.length))
        : undefined;
  }

  async start(events: BrokerEvents): Promise<void> {
    await Promise.all(this.#shards.map(shard => shard.start(events)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#shards.map(shard => shard.stop()));
  }

  subscribe(channel: string): Promise<void> {
    return this.#of(channel).subscribe(channel);
  }

  unsubscribe(channel: string): Promise<void> {
    return this.#of(channel).unsubscribe(channel);
  }

  publish(
    channel: string,
    data: Payload,
    stream: StreamOptions,
    options: PublishOptions,
  ): MaybePromise<PublishResult> {
    return this.#of(channel).publish(channel, data, stream, options);
  }

  publishJoin(channel: string, info: ClientInfo): Promise<void> {
    return this.#of(channel).publishJoin(channel, info);
  }

  publishLeave(channel: string, info: ClientInfo): Promise<void> {
    return this.#of(channel).publishLeave(channel, info);
  }

  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    return this.#of(channel).history(channel, filter, metaTtlMs);
  }

  removeHistory(channel: string): Promise<void> {
    return this.#of(channel).removeHistory(channel);
  }

  renewEpoch(channel: string, seen: string): Promise<void> {
    return this.#of(channel).renewEpoch(channel, seen);
  }

  removeStream(channel: string): Promise<void> {
    return this.#of(channel).removeStream(channel);
  }

  #of(channel: string): Broker {
    return this.#shards[shardOf(channel, this.#shards.length)] as Broker;
  }
}
