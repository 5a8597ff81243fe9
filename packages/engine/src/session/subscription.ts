import { type Publication, SubscribeFlag } from '@msg/protocol';
import type { StreamPosition } from '../broker/contract.ts';
import type { Batch } from '../delivery/batch.ts';
import {
  BY_ID,
  DELTA_FULL,
  DELTA_PATCH,
  type EncodedJoinLeave,
  type EncodedPublication,
  PLAIN,
} from '../delivery/encoded-push.ts';
import type { HubChannel, Subscriber } from '../delivery/hub-channel.ts';
import type { TagsFilter } from '../delivery/tags-filter.ts';
import type { Unsubscribe } from '../errors.ts';
import type { Client, SubRefreshDecision, SubscribeDecision } from '../policy.ts';
import type { Framing } from '../transports/contract.ts';
import type { ConnectionState } from './connection-state.ts';
import type { NodeContext } from './context.ts';
import { Lifetime } from './lifetime.ts';
import { PresenceEntry } from './presence-entry.ts';
import { acceptFilter, type SubscribeRequestOptions } from './subscribe-request.ts';

/** The connection of a subscription. */
export interface SubscribedConnection {
  readonly context: NodeContext;
  /** Framing of its messages. */
  readonly framing: Framing;
  /** A payload that is not UTF-8 ends the connection. */
  readonly refusesBinary: boolean;
  readonly connection: ConnectionState;
  /** The connection as hooks see it. */
  readonly client: Client;
  /** Queues a push. */
  push(batch: Batch): void;
  /** Whether more than this many bytes wait for the peer. */
  lags(bytes: number): boolean;
  /** A publication cannot be encoded for the connection. */
  onNotEncodable(): void;
  /** Continuity of a live subscription is lost: the client has to recover (client protocol 11.5). */
  onContinuityLost(subscription: Subscription): void;
}

/**
 * One channel on one connection. While its subscribe is under way, publications are buffered; from the reply
 * on it is live and follows the stream offset by offset.
 */
export class Subscription implements Subscriber {
  readonly session: SubscribedConnection;
  readonly channel: string;
  /** Granted by the server without a subscribe command: loss of continuity then ends the connection. */
  readonly serverSide: boolean;
  /** Replied to and following the stream. */
  live = false;
  /** Removed from the session; a subscribe in progress must undo what it did. */
  ended = false;
  /** Its channel in the hub. Only the hub writes it. */
  hubChannel: HubChannel | null = null;
  hubIndex = 0;
  /** An unsubscribe that arrived during the subscribe; it runs right after the reply. */
  unsubscribeWhenLive: Unsubscribe | null = null;

  /** Presence entry, join and leave; null when the subscription has none of them. */
  presenceEntry: PresenceEntry | null = null;
  /** How long the credential lasts; null: without end. */
  lifetime: Lifetime | null = null;
  /** The client's tags filter; null: none. */
  filter: TagsFilter | null = null;
  /** The `state` of the policy's decision. */
  state: unknown = undefined;
  /** `chan_info` of this subscriber. */
  info: Uint8Array | null = null;
  positioned = false;
  pushJoinLeave = false;
  /** Pushes carry the numeric id. */
  compacted = false;
  deltaNegotiated = false;
  /** The client holds the publication at `offset`, so a patch against it can be applied. */
  deltaReady = false;
  offset = 0;
  epoch = '';
  /** When it went live, monotonic seconds: a small integer takes no memory of its own. */
  liveAtS = 0;

  /** Publications that arrived before the reply; null once live. */
  #buffer: EncodedPublication[] | null = [];
  /** More publications arrived than may be buffered. */
  overflowed = false;

  constructor(session: SubscribedConnection, channel: string, serverSide: boolean) {
    this.session = session;
    this.channel = channel;
    this.serverSide = serverSide;
  }

  get buffered(): readonly EncodedPublication[] {
    return this.#buffer ?? [];
  }

  /**
   * Applies the policy's decision; a feature that needs the client's support applies only when the client requested it.
   */
  configure(decision: SubscribeDecision, requested: SubscribeRequestOptions): void {
    const { recovery = 'off', emitPresence = false, emitJoinLeave = false } = decision;
    this.state = decision.state;
    this.info = decision.info ?? null;
    this.lifetime = Lifetime.of(decision.expiry, this.session.context);
    this.positioned = decision.positioned === true || recovery !== 'off';
    this.pushJoinLeave = decision.pushJoinLeave === true;
    this.compacted =
      decision.compaction === true &&
      (requested.flag & SubscribeFlag.channelCompaction) !== 0 &&
      this.session.connection.resolvesChannelIds &&
      !this.serverSide;
    this.filter = requested.tf === null ? null : acceptFilter(decision, requested.tf);
    this.deltaNegotiated = decision.delta === true && requested.delta === 'fossil' && this.filter === null;
    if (emitPresence || emitJoinLeave) {
      const visibility = { presence: emitPresence, joinLeave: emitJoinLeave };
      const info = this.session.connection.clientInfo(this.info);
      this.presenceEntry = new PresenceEntry(this.session.context, this.channel, info, visibility);
    }
  }

  /** Takes new credentials. */
  refreshed(decision: SubRefreshDecision): void {
    this.lifetime = Lifetime.of(decision.expiry, this.session.context);
    if (decision.info !== undefined) this.info = decision.info;
    if ('state' in decision) this.state = decision.state;
  }

  /** The policy starts deciding about the expired credentials: they do not expire again meanwhile. */
  renewalBegan(): void {
    this.lifetime = null;
  }

  /** Whether this live, positioned subscription is at another position than this top. */
  isBehind(offset: number, epoch: string): boolean {
    return this.live && this.positioned && (this.offset !== offset || this.epoch !== epoch);
  }

  lags(bytes: number): boolean {
    return this.session.lags(bytes);
  }

  onContinuityLost(): void {
    this.session.onContinuityLost(this);
  }

  endWhenLive(unsubscribe: Unsubscribe): void {
    this.session.client.unsubscribe(this.channel, unsubscribe.code, unsubscribe.reason);
  }

  /** Delivers those that it joins with, the buffered ones, and then live ones. Call right after the reply is queued. */
  goLive(position: StreamPosition, joined: readonly Publication[] = []): void {
    this.offset = position.offset;
    this.epoch = position.epoch;
    this.live = true;
    this.liveAtS = Math.floor(this.session.context.clock.monotonic() / 1000);
    if (this.hubChannel !== null) this.hubChannel.live++;
    for (const encoded of this.hubChannel?.joined(joined, this.epoch) ?? [])
      if (this.filter === null || encoded.passes(this.filter)) this.push(encoded);
    const buffered = this.buffered;
    this.#buffer = null;
    for (const encoded of buffered.slice(this.#firstAfterReply(buffered))) this.deliver(encoded);
  }

  /** Index of the first buffered publication after those in the reply; a publication without offset keeps its place. */
  #firstAfterReply(buffered: readonly EncodedPublication[]): number {
    if (!this.positioned) return 0;
    return 1 + buffered.findLastIndex(({ position: { offset } }) => offset > 0 && offset <= this.offset);
  }

  deliver(encoded: EncodedPublication): void {
    if (!this.live) {
      this.#keep(encoded);
      return;
    }
    const { offset, epoch } = encoded.position;
    if (offset === 0) {
      if (encoded.isVolatile && this.#drops()) return;
    } else if (this.positioned) {
      if (epoch !== this.epoch || offset > this.offset + 1) {
        this.onContinuityLost();
        return;
      }
      if (offset <= this.offset) {
        if (this.hubChannel !== null) this.hubChannel.behindSubscriber = true;
        return;
      }
      this.offset = offset;
    }
    if (this.filter !== null && !encoded.passes(this.filter)) return;
    // A state of a growing message may have to wait.
    if (encoded.states?.holds(this, encoded)) return;
    this.push(encoded);
  }

  push(encoded: EncodedPublication): void {
    const form = (this.compacted ? BY_ID : 0) | this.#deltaForm(encoded);
    if (this.session.refusesBinary && encoded.publication.data.kind === 'binary') {
      this.session.onNotEncodable();
      return;
    }
    this.session.context.stats.deliveries++;
    this.session.push(encoded.batch(this.session.framing, form));
  }

  deliverJoinLeave(encoded: EncodedJoinLeave): void {
    if (!this.live || !this.pushJoinLeave) return;
    this.session.push(encoded.batch(this.session.framing, this.compacted ? BY_ID : 0));
  }

  /** Stops delivering and buffering. The promise, if any, resolves when others no longer see the subscription. */
  end(): Promise<void> | null {
    this.ended = true;
    this.live = false;
    this.#buffer = null;
    return this.presenceEntry === null ? null : this.presenceEntry.leave();
  }

  #deltaForm(encoded: EncodedPublication): number {
    if (!this.deltaNegotiated) return PLAIN;
    const follows = this.positioned || this.#followsLast(encoded);
    const patch = follows && this.deltaReady && encoded.patchable;
    // Clients use every publication as the base of the next; patches never use one without offset.
    this.deltaReady = encoded.position.offset > 0;
    return patch ? DELTA_PATCH : DELTA_FULL;
  }

  /** Whether a subscription without position has the publication right before: none may have been lost or come twice. */
  #followsLast({ position: { offset, epoch } }: EncodedPublication): boolean {
    const follows = epoch === this.epoch && offset === this.offset + 1;
    this.offset = offset;
    this.epoch = epoch;
    return follows;
  }

  /** Whether a volatile publication is dropped: too many bytes are queued before it. */
  #drops(): boolean {
    if (!this.session.lags(this.session.context.limits.volatileQueueBytes)) return false;
    this.session.context.stats.volatileDrops++;
    return true;
  }

  #keep(encoded: EncodedPublication): void {
    const buffer = this.#buffer;
    if (buffer === null || this.ended) return;
    if (buffer.length < this.session.context.limits.subscribeBuffer) buffer.push(encoded);
    else if (!encoded.isVolatile) this.overflowed = true;
  }
}
