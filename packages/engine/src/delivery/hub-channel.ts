import { SerialQueue } from '@msg/foundation/promises';
import { ChannelAddress, type Publication } from '@msg/protocol';
import type { AppendedState } from '../append/contract.ts';
import type { StreamPosition } from '../broker/contract.ts';
import type { Unsubscribe } from '../errors.ts';
import { type EncodedJoinLeave, EncodedPublication, type StateReceiver } from './encoded-push.ts';

/** The subscription port of delivery, which knows no connections. */
export interface Subscriber extends StateReceiver {
  readonly channel: string;
  /** It follows the stream offset by offset; `offset` is the last one that it got. */
  readonly positioned: boolean;
  readonly offset: number;
  /** Its channel in the hub. Only the hub writes it. */
  hubChannel: HubChannel | null;
  hubIndex: number;
  deliver(encoded: EncodedPublication): void;
  deliverJoinLeave(encoded: EncodedJoinLeave): void;
  /** True when it is live and positioned, and its position differs from this top. */
  isBehind(offset: number, epoch: string): boolean;
  /** Messages were lost: the client has to recover (client protocol 11.6). */
  onContinuityLost(): void;
  /** The server ends it as soon as it is live. */
  endWhenLive(unsubscribe: Unsubscribe): void;
}

/** How the states of a message that grows reach the subscribers of a channel. */
export interface ChannelReaders {
  /** `fullWindowMs` as in the append options of the channel. */
  deliver(state: AppendedState, fullWindowMs: number | undefined): void;
  /** Brings every subscriber to the newest state: another publication follows. */
  serveAll(): void;
  stop(): void;
}

/**
 * Sees what is published in a channel without being a subscriber: it counts nowhere. States of a growing message count as
 * publications.
 */
export interface ChannelTap {
  published(publication: Publication, position: StreamPosition): void;
}

/** One channel with local subscribers or taps, or with a broker unsubscribe in progress. */
export class HubChannel {
  readonly name: string;
  /** Replaces the name in pushes to subscribers with channel compaction; never 0 (client protocol 14). */
  readonly id: number;
  /** The name as a push address, encoded once. */
  readonly byName: ChannelAddress;
  readonly byId: ChannelAddress;
  /** Registered subscriptions in any order; each knows its index. */
  readonly subscribers: Subscriber[] = [];
  /** Live subscriptions among them: those that count as subscribers. */
  live = 0;
  /** Broker subscribes and unsubscribes, one after the other. */
  readonly brokerOperations = new SerialQueue();
  /** True once publications are certain to arrive. */
  brokerSubscribed = false;
  /** Monotonic time of the last publication or position check; -Infinity before both. */
  verifiedAt = Number.NEGATIVE_INFINITY;
  /** A subscriber is ahead of the publication being delivered: it is a duplicate, or the stream was truncated. */
  behindSubscriber = false;
  /** A position check is running. */
  checking = false;
  /** Newest state of the message that grows, encoded once for all who join; null: no subscriber needs it. */
  state: EncodedPublication | null = null;
  /** Delivers the states of messages that grow; null: there was none. */
  readers: ChannelReaders | null = null;
  /** Who looks at the channel; undefined without a tap. */
  taps: Set<ChannelTap> | undefined = undefined;

  constructor(name: string, id: number) {
    this.name = name;
    this.id = id;
    this.byName = ChannelAddress.byName(name);
    this.byId = ChannelAddress.byId(id);
  }

  /** A subscriber or a tap needs its publications: the node listens at the broker. */
  get inUse(): boolean {
    return this.subscribers.length > 0 || this.taps !== undefined;
  }

  /** For a subscriber that joins: the newest state of the message that grows, encoded once for all, and what followed. */
  joined([state, ...following]: readonly Publication[], epoch: string): EncodedPublication[] {
    if (state === undefined) return [];
    const isNewest = this.state?.position.offset === state.offset && this.state.position.epoch === epoch;
    if (!isNewest) this.state = this.#inFull(state, epoch);
    const encoded = following.map(publication => this.#inFull(publication, epoch));
    return this.state === null ? encoded : [this.state, ...encoded];
  }

  #inFull(publication: Publication, epoch: string): EncodedPublication {
    return new EncodedPublication(
      this,
      publication,
      { offset: publication.offset, epoch },
      false,
      null,
      false,
    );
  }
}
