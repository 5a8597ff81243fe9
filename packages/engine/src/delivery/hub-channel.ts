import { SerialQueue } from '@msg/foundation/promises';
import { PushTarget } from '@msg/protocol';
import type { Unsubscribe } from '../errors.ts';
import type { EncodedJoinLeave, EncodedPublication } from './encoded-push.ts';

/** A subscription as delivery sees it: delivery knows no connections. */
export interface Subscriber {
  readonly channel: string;
  /** Its subscribe was replied to. */
  readonly live: boolean;
  /** It follows the stream offset by offset; the last offset it got. */
  readonly positioned: boolean;
  readonly offset: number;
  /** Place in the hub. Owned by the hub. */
  hubChannel: HubChannel | null;
  hubIndex: number;
  deliver(encoded: EncodedPublication): void;
  deliverJoinLeave(encoded: EncodedJoinLeave): void;
  /** True when it is live, positioned and anywhere else than at the given top. */
  isBehind(offset: number, epoch: string): boolean;
  /** Messages were lost: the client has to recover (client protocol 11.6). */
  onContinuityLost(): void;
  /** Ends it from the server's side, once it is live. */
  endWhenLive(unsubscribe: Unsubscribe): void;
}

/** One channel with local subscribers, or whose broker subscription is still being dropped. */
export class HubChannel {
  readonly name: string;
  /** Stands for the name in pushes to subscribers with channel compaction; never 0 (client protocol 14). */
  readonly id: number;
  /** The channel as pushes address it, encoded once. */
  readonly byName: PushTarget;
  readonly byId: PushTarget;
  /** Registered subscriptions, in no particular order; each knows its index. */
  readonly subscribers: Subscriber[] = [];
  /** How many of them are live: replied to, and counted as subscribers. */
  live = 0;
  /** Subscribes and unsubscribes at the broker, in order. */
  readonly brokerOperations = new SerialQueue();
  /** True once publications are certain to arrive. */
  brokerSubscribed = false;
  /** Monotonic time of the last publication or position check; -Infinity before both. */
  verifiedAt = Number.NEGATIVE_INFINITY;
  /** A subscriber is beyond the publication in work: it repeats itself, or the stream has lost its end. */
  behindSubscriber = false;
  /** A position check is under way. */
  checking = false;

  constructor(name: string, id: number) {
    this.name = name;
    this.id = id;
    this.byName = PushTarget.byName(name);
    this.byId = PushTarget.byId(id);
  }
}
