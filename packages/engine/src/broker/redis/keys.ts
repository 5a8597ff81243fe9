import { shardOf } from '@msg/redis/internal';

export interface ChannelKeyNamesOptions {
  /** True on a Redis Cluster, which spreads keys over slots. */
  readonly cluster: boolean;
  /** Partitions of sharded PUB/SUB; default 0, none. Presence is spread by channel all the same. */
  readonly partitions?: number;
}

/**
 * Names of the keys and PUB/SUB channels of a channel (client protocol 16.1). On a Cluster all names of a channel share a
 * slot; with partitions, all names of a partition do.
 */
export class ChannelKeyNames {
  readonly #prefix: string;
  readonly #cluster: boolean;
  readonly #partitions: number;
  /** The channel of the last partition lookup: a command needs several of its names. */
  #last = '';
  #lastPartition: number;

  constructor(prefix: string, { cluster, partitions = 0 }: ChannelKeyNamesOptions) {
    this.#prefix = prefix;
    this.#cluster = cluster;
    this.#partitions = partitions;
    this.#lastPartition = shardOf(this.#last, partitions);
  }

  stream(channel: string): string {
    return `${this.#prefix}.stream.${this.#tagged(channel)}`;
  }

  meta(channel: string): string {
    return `${this.#prefix}.stream.meta.${this.#tagged(channel)}`;
  }

  result(channel: string, idempotencyKey: string): string {
    return `${this.#prefix}.result.${this.#tagged(channel)}.${idempotencyKey}`;
  }

  /** Keys of append streams: body of the open message, prefixes of ended messages and of inputs, early cancels. */
  appends(channel: string): readonly [string, string, string, string] {
    const tagged = this.#tagged(channel);
    const key = (kind: string): string => `${this.#prefix}.append.${kind}.${tagged}`;
    // No id of a message or an input holds a colon.
    return [key('body'), `${key('done')}:`, `${key('input')}:`, key('early')];
  }

  /** Channels with an open message, by the time at which it is ended without its producer: a hint. */
  get due(): string {
    return `${this.#prefix}.append.due`;
  }

  presence(channel: string): readonly [data: string, expiry: string] {
    const tagged = this.#cluster ? `{${channel}}` : channel;
    return [`${this.#prefix}.presence.data.${tagged}`, `${this.#prefix}.presence.expire.${tagged}`];
  }

  /** PUB/SUB channel that carries the publications, joins and leaves. */
  messages(channel: string): string {
    return `${this.#prefix}.client.${this.#tagged(channel)}`;
  }

  /** The channel of a PUB/SUB channel from {@link messages}. */
  channelOf(messages: string): string {
    const tagged = messages.slice(this.#prefix.length + '.client.'.length);
    if (this.#partitions > 0) return tagged.slice(tagged.indexOf('}.') + 2);
    return this.#cluster ? tagged.slice(1, -1) : tagged;
  }

  /** PUB/SUB channels that carry only probes: one per partition, or one without partitions. */
  probes(): readonly string[] {
    if (this.#partitions === 0) return [`${this.#prefix}.shard.0`];
    return Array.from(
      { length: this.#partitions },
      (_, partition) => `${this.#prefix}.shard.0.{${partition}}`,
    );
  }

  /** The partition of a channel; 0 without partitions. */
  partition(channel: string): number {
    if (channel !== this.#last) {
      this.#lastPartition = shardOf(channel, this.#partitions);
      this.#last = channel;
    }
    return this.#lastPartition;
  }

  #tagged(channel: string): string {
    if (this.#partitions > 0) return `{${this.partition(channel)}}.${channel}`;
    return this.#cluster ? `{${channel}}` : channel;
  }
}
