import type { ChannelAddress, ClientInfo, Encoding, Publication, ServerCodec } from '@msg/protocol';
import type { StreamPosition } from '../broker/contract.ts';
import { patchBetween } from '../stream/delta.ts';
import { tagged } from '../stream/tagged.ts';
import type { Framing } from '../transports/contract.ts';
import { Batch } from './batch.ts';
import type { TagsFilter } from './tags-filter.ts';

/**
 * The form in which a subscription receives the pushes of its channel. Bit 0: by numeric id instead of name; the other
 * bits: {@link PLAIN}, {@link DELTA_FULL} or {@link DELTA_PATCH}.
 */
export type PushForm = number;
export const BY_ID = 1;
export const PLAIN = 0;
export const DELTA_FULL = 2;
export const DELTA_PATCH = 4;
const PUSH_FORMS = 6;
const ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];

/** The address of a channel in pushes, encoded once: its name or its numeric id. */
export interface AddressedChannel {
  readonly byName: ChannelAddress;
  readonly byId: ChannelAddress;
}

/** A push of one channel, encoded once per encoding and form, and framed once per transport framing. */
abstract class EncodedPush {
  protected readonly channel: AddressedChannel;
  /** Encoded messages by encoding and form. */
  readonly #messages: (Uint8Array | undefined)[] = [];
  /** Shared batches by framing and form. */
  readonly #batches: (Batch | undefined)[] = [];

  constructor(channel: AddressedChannel) {
    this.channel = channel;
  }

  protected abstract encode(codec: ServerCodec, form: PushForm): Uint8Array;

  /** The push for receivers of this framing and form. */
  batch(framing: Framing, form: PushForm): Batch {
    const key = framing.key * PUSH_FORMS + form;
    const cached = this.#batches[key];
    if (cached !== undefined) return cached;
    const batch = new Batch(framing, this.#message(framing.codec, form));
    this.#batches[key] = batch;
    return batch;
  }

  protected target(form: PushForm): ChannelAddress {
    return (form & BY_ID) === 0 ? this.channel.byName : this.channel.byId;
  }

  #message(codec: ServerCodec, form: PushForm): Uint8Array {
    const key = ENCODINGS.indexOf(codec.encoding) * PUSH_FORMS + form;
    let message = this.#messages[key];
    if (message === undefined) {
      message = this.encode(codec, form);
      this.#messages[key] = message;
    }
    return message;
  }
}

/** A subscription that may get a state of a growing message later. */
export interface StateReceiver {
  /** The client has the reply to its subscribe. */
  readonly live: boolean;
  /** The client asked for patches, and holds the publication at its position. */
  readonly deltaNegotiated: boolean;
  deltaReady: boolean;
  /** Queues a publication in the form of the subscription. */
  push(encoded: EncodedPublication): void;
  /** Whether more than this many bytes wait for the peer. */
  lags(bytes: number): boolean;
}

/** Decides when a subscription gets a state of a growing message. */
export interface StateHolder {
  /** True when the subscription does not get the state now; its position moves all the same. */
  holds(receiver: StateReceiver, encoded: EncodedPublication): boolean;
}

/** A publication on its way to the local subscribers of its channel. */
export class EncodedPublication extends EncodedPush {
  readonly publication: Publication;
  readonly position: StreamPosition;
  /** Subscribers with more than `volatileQueueBytes` queued do not get it. */
  readonly isVolatile: boolean;
  /** Of a state of a growing message; null for every other publication. */
  readonly states: StateHolder | null;
  /** The publication may travel as a patch. */
  readonly #delta: boolean;
  /** The publication right before it in the stream, when retained. */
  readonly #previous: Publication | null;
  #patches: Map<Encoding, Uint8Array | null> | null = null;
  #decisions: Map<string, boolean> | null = null;

  constructor(
    channel: AddressedChannel,
    publication: Publication,
    position: StreamPosition,
    delta: boolean,
    previous: Publication | null,
    isVolatile: boolean,
    states: StateHolder | null = null,
  ) {
    super(channel);
    this.publication = publication;
    this.position = position;
    this.isVolatile = isVolatile;
    this.states = states;
    this.#delta = delta;
    this.#previous = previous;
  }

  /** Subscribers that hold the previous publication may get a patch. */
  get patchable(): boolean {
    return this.#delta && this.#previous !== null;
  }

  /** Whether the publication passes a subscriber's filter; evaluated once per distinct filter. */
  passes(filter: TagsFilter): boolean {
    this.#decisions ??= new Map();
    let decision = this.#decisions.get(filter.key);
    if (decision === undefined) {
      decision = filter.matches(this.publication.tags);
      this.#decisions.set(filter.key, decision);
    }
    return decision;
  }

  protected encode(codec: ServerCodec, form: PushForm): Uint8Array {
    const target = this.target(form);
    const publication = tagged(codec.encoding, this.publication);
    if (form < DELTA_FULL) return codec.encodePublication(target, publication, 'plain');
    const patch = form < DELTA_PATCH ? null : this.patch(codec.encoding);
    if (patch === null) return codec.encodePublication(target, publication, 'delta-full');
    return codec.encodePublication(target, publication, 'delta-patch', patch);
  }

  /** The patch for receivers that hold the previous publication; null: they get the full form, too. */
  protected patch(encoding: Encoding): Uint8Array | null {
    if (this.#previous === null) return null;
    this.#patches ??= new Map();
    let patch = this.#patches.get(encoding);
    if (patch === undefined) {
      patch = patchBetween(encoding, this.#previous.data, this.publication.data);
      this.#patches.set(encoding, patch);
    }
    return patch;
  }
}

/** A join or leave on its way to the local subscribers that want them. */
export class EncodedJoinLeave extends EncodedPush {
  readonly #kind: 'join' | 'leave';
  readonly #info: ClientInfo;

  constructor(channel: AddressedChannel, kind: 'join' | 'leave', info: ClientInfo) {
    super(channel);
    this.#kind = kind;
    this.#info = info;
  }

  protected encode(codec: ServerCodec, form: PushForm): Uint8Array {
    const target = this.target(form);
    return this.#kind === 'join'
      ? codec.encodeJoin(target, this.#info)
      : codec.encodeLeave(target, this.#info);
  }
}
