import { performance } from 'node:perf_hooks'; // the global one is looked up at each use
import { MsgError } from '@msg/core';
import type { Awaitable, PublishResult, RealtimeNode } from '@msg/engine';
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

function ackOf({ offset, epoch }: PublishResult): PublishAck {
  return { offset, epoch };
}

function refused(cause: unknown): never {
  throw new MsgError('MSG_BROKER_INTERNAL', 'the broker refused the publication', { cause });
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
  publish(name: string, data: Uint8Array, extras: PublishExtras = {}): Awaitable<PublishAck> {
    if (this.#tracing === undefined) return this.#timed(name, data, extras);
    return this.#tracing.span(publishSpan(name, data), async () => this.#timed(name, data, extras));
  }

  /** With all stores in this process there is nothing to wait for, and then no promise: it is the busiest way there is. */
  #timed(name: string, data: Uint8Array, extras: PublishExtras): Awaitable<PublishAck> {
    const start = performance.now();
    try {
      const ack = this.#publishIfOpen(name, data, extras);
      if (ack instanceof Promise) return this.#awaited(name, ack, start);
      this.#end(name, true, start);
      return ack;
    } catch (error) {
      this.#end(name, false, start);
      throw error;
    }
  }

  async #awaited(name: string, ack: Promise<PublishAck>, start: number): Promise<PublishAck> {
    let ok = false;
    try {
      const known = await ack;
      ok = true;
      return known;
    } finally {
      this.#end(name, ok, start);
    }
  }

  #end(name: string, ok: boolean, start: number): void {
    this.#onEnd(name, ok, (performance.now() - start) / 1000);
  }

  #publishIfOpen(name: string, data: Uint8Array, extras: PublishExtras): Awaitable<PublishAck> {
    const open = this.#channels.requireOpen(name);
    if (open instanceof Promise) return open.then(() => this.#publishIntoOpen(name, data, extras));
    return this.#publishIntoOpen(name, data, extras);
  }

  #publishIntoOpen(name: string, data: Uint8Array, extras: PublishExtras): Awaitable<PublishAck> {
    this.#schemas.check(name, data);
    const ack = this.#toBroker(name, data, extras);
    if (ack instanceof Promise) return ack.then(known => this.#noteActivity(name, known));
    return this.#noteActivity(name, ack);
  }

  /** The publication is out: that the channel was closed or deleted meanwhile does not undo it. */
  #noteActivity(name: string, ack: PublishAck): Awaitable<PublishAck> {
    const noted = this.#channels.noteActivity(name);
    return noted instanceof Promise ? noted.then(() => ack) : ack;
  }

  #toBroker(name: string, data: Uint8Array, extras: PublishExtras): Awaitable<PublishAck> {
    if (!this.#node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    const { stream, delta } = this.#options.of(name);
    const { tags, idempotencyKey } = extras;
    const options = {
      stream,
      delta,
      ...(tags === undefined || tags.size === 0 ? undefined : { tags }),
      ...(idempotencyKey ? { idempotencyKey } : undefined),
    };
    try {
      const result = this.#node.publishNow(name, data, options);
      return result instanceof Promise ? result.then(ackOf, refused) : ackOf(result);
    } catch (cause) {
      return refused(cause);
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
