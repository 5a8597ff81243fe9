import { SerialQueue } from '@msg/foundation/promises';
import { PushTarget } from '@msg/protocol';
import type { Unsubscribe } from '../errors.ts';
import type { EncodedJoinLeave, EncodedPublication } from './encoded-push.ts';

/** The subscription port of delivery, which knows no connections. */
export interface Subscriber {
  readonly channel: string;
  /** The client has the reply to its subscribe. */
  readonly live: boolean;
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

/** One channel with local subscribers, or with a broker unsubscribe in progress. */
export class HubChannel {
  readonly name: string;
  /** Replaces the name in pushes to subscribers with channel compaction; never 0 (client protocol 14). */
  readonly id: number;
  /** The name as a push address, encoded once. */
  readonly byName: PushTarget;
  readonly byId: PushTarget;
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

  constructor(name: string, id: number) {
    this.name = name;
    this.id = id;
    this.byName = PushTarget.byName(name);
    this.byId = PushTarget.byId(id);
  }
}
