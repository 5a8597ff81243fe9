import { MsgError } from '@msg/core';
import { Payload, type PublishResult, type RealtimeNode } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import { chain, type MaybePromise, recover } from '@msg/foundation/promises';
import type { ChannelOptionRules } from '../channels/channel-options.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import type { SubscriberCounter } from '../realtime/subscriber-counter.ts';
import type { SchemaValidator } from '../schemas/validation.ts';
import { storeFailure } from '../stores/redis/store-failure.ts';
import { requirePayload, requireTags } from './publication-rules.ts';
import { publishSpan } from './publish-span.ts';

/** What a server-side publish may carry besides its bytes. */
export interface PublishExtras {
  /** Shown to subscribers and matched by tags filters; `msg-encoding` is the service's own. */
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
  const failure = storeFailure(cause);
  if (failure !== undefined) throw failure;
  throw new MsgError('MSG_BROKER_INTERNAL', 'the broker refused the publication', { cause });
}

export interface PublisherOptions {
  readonly node: RealtimeNode;
  readonly channels: ChannelManager;
  readonly options: ChannelOptionRules;
  readonly listeners: SubscriberCounter;
  readonly schemas: Pick<SchemaValidator, 'check'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing;
  /** Called after each publish. */
  readonly onEnd: (name: string, ok: boolean, seconds: number) => void;
  /** The activity of a publish that succeeded could not be noted. */
  readonly onError: (error: unknown) => void;
}

/** Server-side publishing and counting: channel state, broker, touch (messaging details, section 2 and 5.1). */
export class Publisher {
  readonly #node: RealtimeNode;
  readonly #channels: ChannelManager;
  readonly #options: ChannelOptionRules;
  readonly #listeners: SubscriberCounter;
  readonly #schemas: PublisherOptions['schemas'];
  readonly #tracing: Tracing | undefined;
  readonly #clock: PublisherOptions['clock'];
  readonly #onEnd: PublisherOptions['onEnd'];
  readonly #onError: PublisherOptions['onError'];

  constructor(options: PublisherOptions) {
    this.#node = options.node;
    this.#channels = options.channels;
    this.#options = options.options;
    this.#listeners = options.listeners;
    this.#schemas = options.schemas;
    this.#tracing = options.tracing;
    this.#clock = options.clock;
    this.#onEnd = options.onEnd;
    this.#onError = options.onError;
  }

  /**
   * Publishes opaque bytes into an open channel; success counts as activity of the channel.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED, MSG_INVALID_ARGUMENT when the data
   * do not fit the channel's schema or its option `payload`, or for the tag `msg-encoding`, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL.
   */
  publish(name: string, data: Uint8Array, extras: PublishExtras = {}): MaybePromise<PublishAck> {
    if (this.#tracing === undefined) return this.#timed(name, data, extras);
    return this.#tracing.span(publishSpan(name, data), async () => this.#timed(name, data, extras));
  }

  /** With all stores in this process there is nothing to wait for, and then no promise: it is the busiest way there is. */
  #timed(name: string, data: Uint8Array, extras: PublishExtras): MaybePromise<PublishAck> {
    const start = this.#clock.monotonic();
    const published = () =>
      chain(this.#publishIfOpen(name, data, extras), ack => {
        this.#end(name, true, start);
        return ack;
      });
    return recover<PublishAck>(published, error => {
      this.#end(name, false, start);
      throw error;
    });
  }

  #end(name: string, ok: boolean, start: number): void {
    this.#onEnd(name, ok, (this.#clock.monotonic() - start) / 1000);
  }

  #publishIfOpen(name: string, data: Uint8Array, extras: PublishExtras): MaybePromise<PublishAck> {
    return chain(this.#channels.openForUse(name), () => this.#publishIntoOpen(name, data, extras));
  }

  #publishIntoOpen(name: string, data: Uint8Array, extras: PublishExtras): MaybePromise<PublishAck> {
    requireTags(extras.tags);
    this.#schemas.check(name, data);
    return chain(this.#toBroker(name, new Payload(data), extras), ack => this.#noteActivity(name, ack));
  }

  /**
   * The publication is out: that the channel was closed or deleted meanwhile does not undo it, and neither does a store
   * that fails now.
   */
  #noteActivity(name: string, ack: PublishAck): MaybePromise<PublishAck> {
    const noted = recover<unknown>(() => this.#channels.noteActivity(name), this.#onError);
    return chain(noted, () => ack);
  }

  #toBroker(name: string, data: Payload, extras: PublishExtras): MaybePromise<PublishAck> {
    if (!this.#node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    const channelOptions = this.#options.of(name);
    requirePayload(name, channelOptions, data);
    const { stream, delta } = channelOptions;
    const { tags, idempotencyKey } = extras;
    const options = {
      stream,
      delta,
      ...(tags === undefined || tags.size === 0 ? undefined : { tags }),
      ...(idempotencyKey ? { idempotencyKey } : undefined),
    };
    return recover(() => chain(this.#node.publishNow(name, data, options), ackOf), refused);
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
