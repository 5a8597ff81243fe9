/** Names of what belongs to channels (client protocol 16.1). On a Cluster all names of a channel share a slot. */
export class ChannelKeys {
  readonly #prefix: string;
  readonly #cluster: boolean;

  constructor(prefix: string, cluster: boolean) {
    this.#prefix = prefix;
    this.#cluster = cluster;
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

  presence(channel: string): readonly [data: string, expiry: string] {
    const tagged = this.#tagged(channel);
    return [`${this.#prefix}.presence.data.${tagged}`, `${this.#prefix}.presence.expire.${tagged}`];
  }

  /** PUB/SUB channel that carries the publications, joins and leaves. */
  messages(channel: string): string {
    return `${this.#prefix}.client.${this.#tagged(channel)}`;
  }

  /** The channel of a PUB/SUB channel from {@link messages}. */
  channelOf(messages: string): string {
    const tagged = messages.slice(this.#prefix.length + '.client.'.length);
    return this.#cluster ? tagged.slice(1, -1) : tagged;
  }

  #tagged(channel: string): string {
    return this.#cluster ? `{${channel}}` : channel;
  }
}
