import { parseName } from '@msg/core';
import type { Listeners } from '../realtime/listeners.ts';
import type { PublishAck, Publisher } from '../realtime/publisher.ts';
import type { SinkMessage } from './contract.ts';
import type { SinkRegistry } from './registry.ts';
import type { DeliveredVia } from './retrying.ts';

/** What to deliver elsewhere when nobody listens. */
export interface SinkDelivery {
  /** Name of a registered sink. */
  readonly sink: string;
  /** In the sink's own form. */
  readonly recipient: unknown;
  readonly message: Partial<SinkMessage>;
  /** Ends the attempts early; what was tried is parked. */
  readonly signal?: AbortSignal;
}

/**
 * Where a publication went. `delivered` is true when it left through a sink, dead letters included; offset and epoch
 * are those of the publication, or 0 and empty.
 */
export interface PublishOrSinkResult extends PublishAck {
  readonly delivered: boolean;
  readonly via: 'channel' | DeliveredVia;
}

export interface PublishOrSinkParts {
  readonly listeners: Listeners;
  readonly publisher: Publisher;
  readonly sinks: SinkRegistry;
}

/**
 * Publishes to those who listen, or sends through a sink when nobody does. The sink path does not look at the
 * channel's record. Source: messaging details 5.3.
 */
export class PublishOrSink {
  readonly #listeners: Listeners;
  readonly #publisher: Publisher;
  readonly #sinks: SinkRegistry;

  constructor({ listeners, publisher, sinks }: PublishOrSinkParts) {
    this.#listeners = listeners;
    this.#publisher = publisher;
    this.#sinks = sinks;
  }

  /**
   * @throws MsgError MSG_CHANNEL_INVALID; MSG_BROKER_NOT_READY and MSG_BROKER_INTERNAL when listeners cannot be
   * counted, and nothing is sent; with listeners what publishing throws; without MSG_SINK_CONFIG_INVALID for an
   * unknown sink, MSG_INVALID_ARGUMENT for a message whose members are no strings, MSG_SINK_DLQ_OVERFLOW.
   */
  async deliver(name: string, data: Uint8Array, delivery: SinkDelivery): Promise<PublishOrSinkResult> {
    parseName(name);
    if ((await this.#listeners.count(name)) > 0) {
      const { offset, epoch } = await this.#publisher.publish(name, data);
      return { delivered: false, via: 'channel', offset, epoch };
    }
    const via = await this.#sinks.require(delivery.sink).deliver(delivery.recipient, delivery.message, {
      channel: name,
      ...(delivery.signal === undefined ? {} : { signal: delivery.signal }),
    });
    return { delivered: true, via, offset: 0, epoch: '' };
  }
}
