import { MsgError, parseName } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { PublishAck, PublishPipeline } from '../../publishing/pipeline.ts';
import type { PublishCaller, PublishExtras } from '../../publishing/publication.ts';
import type { SinkMessage } from './contract.ts';
import type { SinkRegistry } from './registry.ts';
import type { DeliveredVia } from './retrying.ts';

/** A delivery through a sink, for a channel without subscribers. */
export interface SinkDelivery {
  /** Name of a registered sink. */
  readonly sink: string;
  /** In the sink's own form. */
  readonly recipient: unknown;
  readonly message: Partial<SinkMessage>;
  /** Options of the publication, for a channel with subscribers. */
  readonly extras?: PublishExtras;
  /** Ends the attempts early; a tried message becomes a dead letter. */
  readonly signal?: AbortSignal;
}

/** The outcome: published to live subscribers, sent through the sink, or parked as a dead letter. */
export type DeliveryOutcome = 'published' | 'sent' | 'parked';

const OUTCOMES = { sink: 'sent', dlq: 'parked' } as const satisfies Record<DeliveredVia, DeliveryOutcome>;

/**
 * The result of a delivery; `outcome` tells its way. `delivered` is true for a sink, dead letters included; offset and
 * epoch are those of the publication, or 0 and empty.
 */
export interface PublishOrSinkResult extends PublishAck {
  readonly outcome: DeliveryOutcome;
  readonly delivered: boolean;
  readonly via: 'channel' | DeliveredVia;
}

/** Counts the live subscriptions of a channel, over all nodes. */
export interface SubscriberCount {
  /** @throws MsgError MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL when they cannot be counted. */
  count(channel: string): Promise<number>;
}

export interface PublishOrSinkParts {
  readonly subscribers: SubscriberCount;
  readonly pipeline: Pick<PublishPipeline, 'publish' | 'takeRate'>;
  readonly sinks: SinkRegistry;
}

/**
 * Publishes to the subscribers, or sends through a sink for a channel without subscribers. The sink path does not read
 * the channel's record. Source: messaging details 5.3.
 */
export class PublishOrSink {
  readonly #subscribers: SubscriberCount;
  readonly #pipeline: PublishOrSinkParts['pipeline'];
  readonly #sinks: SinkRegistry;

  constructor({ subscribers, pipeline, sinks }: PublishOrSinkParts) {
    this.#subscribers = subscribers;
    this.#pipeline = pipeline;
    this.#sinks = sinks;
  }

  /**
   * @throws MsgError MSG_CHANNEL_INVALID; MSG_BROKER_NOT_READY and MSG_BROKER_INTERNAL, without a delivery, when
   * subscribers cannot be counted; with subscribers the errors of publishing; without subscribers MSG_SINK_CONFIG_INVALID
   * for an unknown sink, MSG_INVALID_ARGUMENT for a recipient or a message that the sink refuses, MSG_SINK_DLQ_OVERFLOW.
   */
  async deliver(name: string, data: Uint8Array, delivery: SinkDelivery): Promise<PublishOrSinkResult> {
    parseName(name);
    if ((await this.#subscribers.count(name)) > 0) {
      const ack = await this.#pipeline.publish(name, data, delivery.extras);
      return { outcome: 'published', delivered: false, via: 'channel', ...ack };
    }
    const via = await this.#sinks.require(delivery.sink).deliver(delivery.recipient, delivery.message, {
      channel: name,
      ...defined({ signal: delivery.signal }),
    });
    return { outcome: OUTCOMES[via], delivered: true, via, offset: 0, epoch: '', suppressed: false };
  }

  /** As {@link deliver}, for a caller of the RPC. @throws MsgError MSG_RATE_LIMITED, MSG_INVALID_ARGUMENT without a sink */
  async deliverForCaller(
    caller: PublishCaller,
    name: string,
    data: Uint8Array,
    delivery: SinkDelivery,
  ): Promise<PublishOrSinkResult> {
    await this.#pipeline.takeRate(caller, name);
    if (delivery.sink === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'sink is required');
    return this.deliver(name, data, delivery);
  }
}
