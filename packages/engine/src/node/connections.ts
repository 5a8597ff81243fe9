import type { Clock } from '@msg/foundation/clock';
import type { Hub } from '../delivery/hub.ts';
import type { ChannelTap } from '../delivery/hub-channel.ts';
import type { Client } from '../policy.ts';
import type { FrameRecorder } from '../session/frame-recorder.ts';
import type { SessionRegistry } from '../session/registry.ts';
import type { Session } from '../session/session.ts';
import { Subscription } from '../session/subscription.ts';
import { WallTime } from './wall-time.ts';

/** One live subscription of a connection, at this moment. */
export interface LiveSubscription {
  readonly client: Client;
  readonly channel: string;
  /** Replaces the name in pushes to clients with channel compaction. */
  readonly channelId: number;
  /** When it went live, Unix milliseconds, to the second. */
  readonly since: number;
  /** The last offset that the client got; 0 without positions. */
  readonly offset: number;
  /** It follows the stream offset by offset. */
  readonly positioned: boolean;
  readonly delta: boolean;
  /** `conn_info` and `chan_info` of the subscriber. */
  readonly connInfo: Uint8Array | null;
  readonly chanInfo: Uint8Array | null;
}

/** A channel that a connection waits for: its subscribe was refused, and the client retries. */
export interface AwaitedChannel {
  readonly channel: string;
  /** The last attempt, Unix milliseconds. */
  readonly attemptedAt: number;
}

/** One connected client, at this moment. */
export interface LiveConnection {
  readonly client: Client;
  /** When it got its connect reply, Unix milliseconds, to the second. */
  readonly connectedAt: number;
  /** What the client program calls itself: untrusted input. */
  readonly name: string;
  readonly version: string;
  /** Number of its subscriptions. */
  readonly subscriptionCount: number;
  /** Bytes that wait for it. */
  readonly queueBytes: number;
  /** What passes is being recorded. */
  readonly recording: boolean;
  subscriptions(): Iterable<LiveSubscription>;
  waiting(): Iterable<AwaitedChannel>;
}

type Watch = Pick<Clock, 'now' | 'monotonic'>;

class SubscriptionView implements LiveSubscription {
  readonly #subscription: Subscription;
  readonly #times: WallTime;

  constructor(subscription: Subscription, times: WallTime) {
    this.#subscription = subscription;
    this.#times = times;
  }

  get client(): Client {
    return this.#subscription.session.client;
  }

  get channel(): string {
    return this.#subscription.channel;
  }

  get channelId(): number {
    return this.#subscription.hubChannel?.id ?? 0;
  }

  get since(): number {
    return this.#times.of(this.#subscription.liveAtS * 1000);
  }

  get offset(): number {
    return this.#subscription.offset;
  }

  get positioned(): boolean {
    return this.#subscription.positioned;
  }

  get delta(): boolean {
    return this.#subscription.deltaNegotiated;
  }

  get connInfo(): Uint8Array | null {
    return this.#subscription.session.connection.info;
  }

  get chanInfo(): Uint8Array | null {
    return this.#subscription.info;
  }
}

class ConnectionView implements LiveConnection {
  readonly #session: Session;
  readonly #times: WallTime;

  constructor(session: Session, times: WallTime) {
    this.#session = session;
    this.#times = times;
  }

  get client(): Client {
    return this.#session.client;
  }

  get connectedAt(): number {
    return this.#times.of(this.#session.connection.connectedAtS * 1000);
  }

  get name(): string {
    return this.#session.connection.program.name;
  }

  get version(): string {
    return this.#session.connection.program.version;
  }

  get subscriptionCount(): number {
    return this.#session.subscriptions.size;
  }

  get queueBytes(): number {
    return this.#session.waitingBytes;
  }

  get recording(): boolean {
    return this.#session.writeQueue.recorder !== undefined;
  }

  *subscriptions(): Iterable<LiveSubscription> {
    for (const subscription of this.#session.subscriptions)
      if (subscription.live) yield new SubscriptionView(subscription, this.#times);
  }

  *waiting(): Iterable<AwaitedChannel> {
    for (const [channel, attempt] of this.#session.subscriptions.waiting())
      yield { channel, attemptedAt: this.#times.of(attempt) };
  }
}

/** The connected clients of one node, for operators. Looking changes nothing. */
export class Connections {
  readonly #sessions: SessionRegistry<Session>;
  readonly #hub: Hub;
  readonly #times: WallTime;

  constructor(sessions: SessionRegistry<Session>, hub: Hub, clock: Watch) {
    this.#sessions = sessions;
    this.#hub = hub;
    this.#times = new WallTime(clock);
  }

  /**
   * All connected clients. The iteration may pause: a client that stays connected is yielded once, whatever comes and
   * goes meanwhile.
   */
  all(): Iterable<LiveConnection> {
    return this.#views(this.#sessions);
  }

  get(id: string): LiveConnection | undefined {
    const session = this.#sessions.get(id);
    return session?.connection.phase === 'connected' ? new ConnectionView(session, this.#times) : undefined;
  }

  /**
   * Records a connected client from now on; it cannot tell. Returns what ends it, `undefined` for an unknown client and for
   * one that is being recorded.
   */
  record(id: string, recorder: FrameRecorder): (() => void) | undefined {
    const session = this.#sessions.get(id);
    if (session?.connection.phase !== 'connected' || session.writeQueue.recorder !== undefined)
      return undefined;
    session.writeQueue.recorder = recorder;
    return () => {
      if (session.writeQueue.recorder === recorder) session.writeQueue.recorder = undefined;
    };
  }

  /** The connected clients of a named user. */
  ofUser(user: string): Iterable<LiveConnection> {
    return this.#views(this.#sessions.ofUser(user));
  }

  /** Named users, with the number of their connections. */
  users(): Iterable<readonly [user: string, connections: number]> {
    return this.#sessions.users();
  }

  /**
   * The live subscriptions of a channel. The iteration may pause: a subscription that stays is yielded at least once; one
   * that moves into the place of another that ended, twice.
   */
  *ofChannel(channel: string): Iterable<LiveSubscription> {
    const subscribers = this.#hub.channel(channel)?.subscribers ?? [];
    for (let index = subscribers.length - 1; index >= 0; index--) {
      const subscriber = subscribers[index];
      if (subscriber instanceof Subscription && subscriber.live)
        yield new SubscriptionView(subscriber, this.#times);
    }
  }

  /**
   * Shows the publications of a channel to a tap, on this node, until the returned function is called. A tap is not a
   * subscriber: it counts nowhere, and keeps nothing open. Resolves when publications are certain to arrive. Rejects with
   * the broker's error.
   */
  tap(channel: string, tap: ChannelTap): Promise<() => void> {
    return this.#hub.tap(channel, tap);
  }

  *#views(sessions: Iterable<Session>): Iterable<LiveConnection> {
    for (const session of sessions)
      if (session.connection.phase === 'connected') yield new ConnectionView(session, this.#times);
  }
}
