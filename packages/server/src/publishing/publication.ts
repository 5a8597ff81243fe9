import { MsgError } from '@msg/core';
import {
  type Client,
  type ForwardPublish,
  Payload,
  type PublishEvent,
  type PublishOptions,
  type PublishResult,
  type RealtimeNode,
} from '@msg/engine';
import type { MaybePromise } from '@msg/foundation/promises';
import type { Principal } from '../auth/access/principal.ts';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { EffectiveOptions } from '../channels/channel-options.ts';

/** What a server-side publish may carry besides its bytes. */
export interface PublishExtras {
  /** Shown to subscribers and matched by tags filters; `msg-encoding` is the service's own. */
  readonly tags?: ReadonlyMap<string, string>;
  /** A repeat within 5 minutes publishes nothing and answers the first position. */
  readonly idempotencyKey?: string;
}

/** Who calls the RPC, and from which address. */
export interface PublishCaller {
  readonly principal: Principal;
  readonly peer: string;
}

/** The engine's node, as far as publishing needs it. */
export type PublishNode = Pick<RealtimeNode, 'operational' | 'publish'>;

/** The service publishes: for a caller of the RPC, or for itself and the application around it. */
export class ServerPublication {
  readonly channel: string;
  readonly payload: Payload;
  readonly extras: PublishExtras;
  readonly #node: PublishNode;
  /** Set once it is published. */
  result: PublishResult | undefined;

  constructor(node: PublishNode, channel: string, data: Uint8Array, extras: PublishExtras) {
    this.#node = node;
    this.channel = channel;
    this.payload = new Payload(data);
    this.extras = extras;
  }

  send({ stream, delta }: EffectiveOptions): MaybePromise<PublishResult> {
    if (!this.#node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    const { tags, idempotencyKey } = this.extras;
    const options: { -readonly [Name in keyof PublishOptions]: PublishOptions[Name] } = { stream, delta };
    if (tags !== undefined && tags.size > 0) options.tags = tags;
    if (idempotencyKey) options.idempotencyKey = idempotencyKey;
    return this.#node.publish(this.channel, this.payload, options);
  }
}

/** A connected client publishes. */
export class ClientPublication {
  readonly client: Client;
  /** The token of the subscription, else of the connection; null without one. */
  readonly token: VerifiedToken | null;
  readonly #event: PublishEvent;
  readonly #forward: ForwardPublish;
  /** The channel is declared and not open: the publish opens it. */
  opensChannel = false;
  result: PublishResult | undefined;

  constructor(client: Client, token: VerifiedToken | null, event: PublishEvent, forward: ForwardPublish) {
    this.client = client;
    this.token = token;
    this.#event = event;
    this.#forward = forward;
  }

  get channel(): string {
    return this.#event.channel;
  }

  get payload(): Payload {
    return this.#event.payload;
  }

  send({ stream, delta }: EffectiveOptions): MaybePromise<PublishResult> {
    return this.#forward(this.#event, { stream, delta, info: this.#event.info });
  }
}

/** One publication on its way. */
export type Publication = ServerPublication | ClientPublication;
