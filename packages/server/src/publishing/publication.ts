import { MsgError } from '@msg/core';
import {
  type Client,
  type ForwardPublish,
  Payload,
  type PublishEvent,
  type PublishOptions,
  type PublishResult,
  type RealtimeNode,
  type StreamOptions,
} from '@msg/engine';
import type { MaybePromise } from '@msg/foundation/promises';
import type { Principal } from '../auth/access/principal.ts';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { EffectiveOptions } from '../channels/channel-options.ts';
import type { PublishPermits } from '../rate-limits/rate-limits.ts';
import { isOfOutbox } from './outbox-versions.ts';

/** Options of a server-side publish. */
export interface PublishExtras {
  /** Tags for subscribers and tags filters; `msg-encoding` is reserved. */
  readonly tags?: ReadonlyMap<string, string> | Readonly<Record<string, string>>;
  /** A second publish with this key within 5 minutes publishes nothing and returns the first position. */
  readonly idempotencyKey?: string;
  /** Delivers only to live subscribers: offset 0, an empty epoch, no recovery. */
  readonly skipHistory?: boolean;
  /** As `skipHistory`, and a subscriber with more than 64 KiB queued does not get it: for cursors and meters. */
  readonly volatile?: boolean;
  /** `false`: sent in full, also where the channel option `delta` is on. */
  readonly delta?: boolean;
  /** A positive integer. A publication whose version is not newer than the channel's last one is not published. */
  readonly version?: number;
  /** Versions of another epoch are not compared. */
  readonly versionEpoch?: string;
}

function tagMap(tags: NonNullable<PublishExtras['tags']>): ReadonlyMap<string, string> {
  return tags instanceof Map ? tags : new Map(Object.entries(tags));
}

/** Stream options of a publication that is not retained. */
const NOT_KEPT: StreamOptions = { size: 0, ttlMs: 0 };

type EngineOptions = { -readonly [Name in keyof PublishOptions]: PublishOptions[Name] };

/** Who calls the RPC or the HTTP API, and from which address. */
export interface PublishCaller {
  readonly principal: Principal;
  readonly clientAddress: string;
  /** Of a request with several publications: its rate is decided once. */
  readonly permits?: PublishPermits;
}

/** The node port of publishing. */
export type PublishNode = Pick<RealtimeNode, 'operational' | 'publish'>;

/** A publication of the service: for a caller of the RPC, for the embedding application, or its own. */
export class ServerPublication {
  readonly channel: string;
  readonly payload: Payload;
  readonly extras: PublishExtras;
  readonly tags: ReadonlyMap<string, string> | undefined;
  /** Told when it is on its way to a broker that answers later and keeps the order of what is sent. */
  readonly onSent: (() => void) | undefined;
  readonly #node: PublishNode;
  /** Set once it is published. */
  result: PublishResult | undefined;

  constructor(
    node: PublishNode,
    channel: string,
    data: Uint8Array | Payload,
    extras: PublishExtras,
    onSent?: () => void,
  ) {
    this.#node = node;
    this.onSent = onSent;
    this.channel = channel;
    this.payload = Payload.of(data);
    this.extras = extras;
    this.tags = extras.tags === undefined ? undefined : tagMap(extras.tags);
  }

  send({ stream, delta, volatile }: EffectiveOptions): MaybePromise<PublishResult> {
    if (!this.#node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    const { extras, tags } = this;
    const isVolatile = volatile || extras.volatile === true;
    const isKept = !isVolatile && extras.skipHistory !== true;
    const options: EngineOptions = isKept
      ? { stream, delta: delta && extras.delta !== false }
      : { stream: NOT_KEPT, delta: false, volatile: isVolatile };
    if (tags !== undefined && tags.size > 0) options.tags = tags;
    // Where the stream decides by the version of an outbox, a key for each row would be stored for nothing.
    const isDecided = isKept && stream.size > 0 && isOfOutbox(extras);
    if (extras.idempotencyKey && !isDecided) options.idempotencyKey = extras.idempotencyKey;
    if (extras.version) {
      options.version = extras.version;
      options.versionEpoch = extras.versionEpoch ?? '';
    }
    return this.#node.publish(this.channel, this.payload, options);
  }
}

/** A publication of a connected client. */
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

  send({ stream, delta, volatile }: EffectiveOptions): MaybePromise<PublishResult> {
    return this.#forward(this.#event, { stream, delta, volatile, info: this.#event.info });
  }
}

/** One publication on its way. */
export type Publication = ServerPublication | ClientPublication;
