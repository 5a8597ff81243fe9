import { MsgError } from '@msg/core';
import type { RealtimeNode } from '@msg/engine';
import type { ChannelManager } from '../channels/manager.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import type { SchemaValidator } from '../schemas/validation.ts';
import type { ChannelOptionRules } from './channel-options.ts';
import type { Listeners } from './listeners.ts';
import { publishSpan } from './publish-span.ts';

/** What a server-side publish may carry besides its bytes. */
export interface PublishExtras {
  /** Shown to subscribers and matched by tags filters. */
  readonly tags?: ReadonlyMap<string, string>;
  /** A repeat within 5 minutes publishes nothing and answers the first position. */
  readonly idempotencyKey?: string;
}

/** Where a publication stands in its channel; offset 0 and an empty epoch where history is off. */
export interface PublishAck {
  readonly offset: number;
  readonly epoch: string;
}

export interface PublisherOptions {
  readonly node: RealtimeNode;
  readonly channels: ChannelManager;
  readonly options: ChannelOptionRules;
  readonly listeners: Listeners;
  readonly schemas: Pick<SchemaValidator, 'check'>;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing;
  /** Called after each publish. */
  readonly onEnd: (name: string, ok: boolean, seconds: number) => void;
}

/** Server-side publishing and counting: channel state, broker, touch (messaging details, section 2 and 5.1). */
export class Publisher {
  readonly #node: RealtimeNode;
  readonly #channels: ChannelManager;
  readonly #options: ChannelOptionRules;
  readonly #listeners: Listeners;
  readonly #schemas: PublisherOptions['schemas'];
  readonly #tracing: Tracing | undefined;
  readonly #onEnd: PublisherOptions['onEnd'];

  constructor(options: PublisherOptions) {
    this.#node = options.node;
    this.#channels = options.channels;
    this.#options = options.options;
    this.#listeners = options.listeners;
    this.#schemas = options.schemas;
    this.#tracing = options.tracing;
    this.#onEnd = options.onEnd;
  }

  /**
   * Publishes opaque bytes into an open channel; success counts as activity of the channel.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED, MSG_INVALID_ARGUMENT when the data
   * do not fit the channel's schema, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL.
   */
  publish(name: string, data: Uint8Array, extras: PublishExtras = {}): Promise<PublishAck> {
    if (this.#tracing === undefined) return this.#publish(name, data, extras);
    return this.#tracing.span(publishSpan(name, data), () => this.#publish(name, data, extras));
  }

  async #publish(name: string, data: Uint8Array, extras: PublishExtras): Promise<PublishAck> {
    const start = performance.now();
    let ok = false;
    try {
      await this.#channels.requireOpen(name);
      this.#schemas.check(name, data);
      const ack = await this.#toBroker(name, data, extras);
      // The publication is out: that the channel was closed or deleted meanwhile does not undo it.
      await this.#channels.noteActivity(name);
      ok = true;
      return ack;
    } finally {
      this.#onEnd(name, ok, (performance.now() - start) / 1000);
    }
  }

  async #toBroker(name: string, data: Uint8Array, extras: PublishExtras): Promise<PublishAck> {
    if (!this.#node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    const { stream, delta } = this.#options.of(name);
    const { tags, idempotencyKey } = extras;
    try {
      const { offset, epoch } = await this.#node.publish(name, data, {
        stream,
        delta,
        ...(tags === undefined || tags.size === 0 ? undefined : { tags }),
        ...(idempotencyKey ? { idempotencyKey } : undefined),
      });
      return { offset, epoch };
    } catch (cause) {
      throw new MsgError('MSG_BROKER_INTERNAL', 'the broker refused the publication', { cause });
    }
  }

  /**
   * Live subscriptions of a channel, over all nodes.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL
   */
  async presence(name: string): Promise<number> {
    await this.#channels.get(name);
    return this.#listeners.count(name);
  }
}
