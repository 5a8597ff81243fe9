import {
  type ClientInfo,
  EncodeError,
  type Encoding,
  type Publication,
  type PushTarget,
  type ServerCodec,
} from '@msg/protocol';
import type { StreamPosition } from './broker/contract.ts';
import type { HubChannel } from './hub.ts';
import { Batch } from './session/batch.ts';
import { patchBetween } from './stream/delta.ts';
import type { TagsFilter } from './tags-filter.ts';
import type { Framing } from './transports/contract.ts';

/**
 * In which shape a subscription receives the pushes of its channel: bit 0 set — by numeric id instead of name;
 * the rest — {@link PLAIN}, {@link DELTA_FULL} or {@link DELTA_PATCH}.
 */
export type Variant = number;
export const BY_NAME = 0;
export const BY_ID = 1;
export const PLAIN = 0;
export const DELTA_FULL = 2;
export const DELTA_PATCH = 4;
const VARIANTS = 6;
const ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];

/** A push of one channel, encoded once per encoding and variant and framed once per transport framing. */
abstract class Prepared {
  protected readonly channel: HubChannel;
  /** Encoded messages by encoding and variant; null: cannot be expressed in that encoding. */
  readonly #messages: (Uint8Array | null | undefined)[] = [];
  /** Shared batches by framing and variant. */
  readonly #batches: (Batch | undefined)[] = [];

  constructor(channel: HubChannel) {
    this.channel = channel;
  }

  protected abstract encode(codec: ServerCodec, variant: Variant): Uint8Array | null;

  /** The push for receivers of this framing and variant; null when their encoding cannot express it. */
  batch(framing: Framing, variant: Variant): Batch | null {
    const key = framing.key * VARIANTS + variant;
    const known = this.#batches[key];
    if (known !== undefined) return known;
    const message = this.#message(framing.codec, variant);
    if (message === null) return null;
    const batch = new Batch(framing, message);
    this.#batches[key] = batch;
    return batch;
  }

  protected target(variant: Variant): PushTarget {
    return (variant & BY_ID) === 0 ? this.channel.byName : this.channel.byId;
  }

  #message(codec: ServerCodec, variant: Variant): Uint8Array | null {
    const key = ENCODINGS.indexOf(codec.encoding) * VARIANTS + variant;
    let message = this.#messages[key];
    if (message === undefined) {
      message = this.encode(codec, variant);
      this.#messages[key] = message;
    }
    return message;
  }
}

/** A publication on its way to the local subscribers of its channel. */
export class PreparedPublication extends Prepared {
  readonly publication: Publication;
  readonly position: StreamPosition;
  /** The publication may travel as a patch. */
  readonly #delta: boolean;
  /** The publication right before it in the stream, when retained. */
  readonly #previous: Publication | null;
  #patches: Map<Encoding, Uint8Array | null> | null = null;
  #verdicts: Map<string, boolean> | null = null;

  constructor(
    channel: HubChannel,
    publication: Publication,
    position: StreamPosition,
    delta: boolean,
    previous: Publication | null,
  ) {
    super(channel);
    this.publication = publication;
    this.position = position;
    this.#delta = delta;
    this.#previous = previous;
  }

  /** A patch may be sent to receivers that hold the publication before this one. */
  get patchable(): boolean {
    return this.#delta && this.#previous !== null;
  }

  /** Does the subscriber's filter let it pass? Evaluated once per distinct filter. */
  passes(filter: TagsFilter): boolean {
    this.#verdicts ??= new Map();
    let verdict = this.#verdicts.get(filter.key);
    if (verdict === undefined) {
      verdict = filter.matches(this.publication.tags);
      this.#verdicts.set(filter.key, verdict);
    }
    return verdict;
  }

  protected encode(codec: ServerCodec, variant: Variant): Uint8Array | null {
    const target = this.target(variant);
    if (variant < DELTA_FULL) return codec.encodePublication(target, this.publication, 'plain');
    const patch = variant < DELTA_PATCH ? null : this.#patch(codec.encoding);
    if (patch === null) return codec.encodePublication(target, this.publication, 'delta-full');
    return codec.encodePublication(target, this.publication, 'delta-patch', patch);
  }

  #patch(encoding: Encoding): Uint8Array | null {
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
export class PreparedJoinLeave extends Prepared {
  readonly #kind: 'join' | 'leave';
  readonly #info: ClientInfo;

  constructor(channel: HubChannel, kind: 'join' | 'leave', info: ClientInfo) {
    super(channel);
    this.#kind = kind;
    this.#info = info;
  }

  protected encode(codec: ServerCodec, variant: Variant): Uint8Array | null {
    const target = this.target(variant);
    try {
      return this.#kind === 'join'
        ? codec.encodeJoin(target, this.#info)
        : codec.encodeLeave(target, this.#info);
    } catch (error) {
      if (error instanceof EncodeError) return null;
      throw error;
    }
  }
}
