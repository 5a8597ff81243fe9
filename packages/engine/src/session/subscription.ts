import { type FilterNode, SubscribeFlag, type SubscribeRequest } from '@msg/protocol';
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
import { compileFilter, type TagsFilter } from '../delivery/tags-filter.ts';
import { errorReply, type Unsubscribe } from '../errors.ts';
import type { Client, SubRefreshDecision, SubscribeDecision } from '../policy.ts';
import type { Framing } from '../transports/contract.ts';
import type { ConnectionState } from './connection-state.ts';
import type { NodeContext } from './context.ts';
import { Lifetime } from './lifetime.ts';
import { PresenceEntry } from './presence-entry.ts';

/** What of a subscribe request matters after authorization; server-side subscriptions fill in less. */
export type SubscribeRequestOptions = Pick<
  SubscribeRequest,
  'recover' | 'offset' | 'epoch' | 'delta' | 'flag' | 'tf'
>;

/** The connection of a subscription. */
export interface SubscribedConnection {
  readonly context: NodeContext;
  /** How messages for it are framed. */
  readonly framing: Framing;
  /** A publication whose payload is not UTF-8 ends it. */
  readonly refusesBinary: boolean;
  readonly connection: ConnectionState;
  /** As hooks see it. */
  readonly client: Client;
  /** Queues a push. */
  push(batch: Batch): void;
  /** More than so many bytes wait for the reader. */
  lags(bytes: number): boolean;
  /** A publication cannot be expressed in its encoding. */
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
  /** Removed from the session; a subscribe still under way must undo what it did. */
  ended = false;
  /** Place in the hub. Owned by the hub. */
  hubChannel: HubChannel | null = null;
  hubIndex = 0;
  /** An unsubscribe that arrived while the subscribe was under way: carried out right after the reply. */
  unsubscribeWhenLive: Unsubscribe | null = null;

  /** Presence entry, join and leave; null when others never learn about this subscription. */
  presenceEntry: PresenceEntry | null = null;
  /** How long the credential lasts; null: for ever. */
  lifetime: Lifetime | null = null;
  /** What the client wants of the channel; null: everything. */
  filter: TagsFilter | null = null;
  /** Whatever the policy keeps for this subscription. */
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

  /** Publications that arrived before the reply; null once live. */
  #buffer: EncodedPublication[] | null = [];
  /** More arrived than may be buffered. */
  overflowed = false;

  constructor(session: SubscribedConnection, channel: string, serverSide: boolean) {
    this.session = session;
    this.channel = channel;
    this.serverSide = serverSide;
  }

  get buffered(): readonly EncodedPublication[] {
    return this.#buffer ?? [];
  }

  /** Takes over what the policy decided; what needs a client that understands it, only when that wished for it. */
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
      const { context } = this.session;
      this.presenceEntry = new PresenceEntry(
        context,
        this.channel,
        this.session.connection.clientInfo(this.info),
        visibility,
      );
    }
  }

  /** New credentials for the subscription. */
  refreshed(decision: SubRefreshDecision): void {
    this.lifetime = Lifetime.of(decision.expiry, this.session.context);
    if (decision.info !== undefined) this.info = decision.info;
    if ('state' in decision) this.state = decision.state;
  }

  /** The credentials are over and the policy is asked about them: they do not expire once more meanwhile. */
  renewalBegan(): void {
    this.lifetime = null;
  }

  /** Is this live, positioned subscription anywhere else than at the given top? */
  isBehind(offset: number, epoch: string): boolean {
    return this.live && this.positioned && (this.offset !== offset || this.epoch !== epoch);
  }

  onContinuityLost(): void {
    this.session.onContinuityLost(this);
  }

  endWhenLive(unsubscribe: Unsubscribe): void {
    this.session.client.unsubscribe(this.channel, unsubscribe.code, unsubscribe.reason);
  }

  /** From now on publications are delivered, those that were buffered first. Call right after the reply is queued. */
  goLive(position: StreamPosition): void {
    this.offset = position.offset;
    this.epoch = position.epoch;
    this.live = true;
    if (this.hubChannel !== null) this.hubChannel.live++;
    const buffered = this.buffered;
    this.#buffer = null;
    for (const encoded of buffered.slice(this.#firstAfterReply(buffered))) this.deliver(encoded);
  }

  /** Index of the first buffered publication that follows all that the reply covers: one without offset keeps its place. */
  #firstAfterReply(buffered: readonly EncodedPublication[]): number {
    if (!this.positioned) return 0;
    return 1 + buffered.findLastIndex(({ position: { offset } }) => offset > 0 && offset <= this.offset);
  }

  /** A publication from the hub (client protocol 11.5). */
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

  /** Neither delivers nor buffers from now on. The promise, if any, says when others cannot see it any more. */
  end(): Promise<void> | null {
    this.ended = true;
    this.live = false;
    this.#buffer = null;
    return this.presenceEntry === null ? null : this.presenceEntry.leave();
  }

  #deltaForm(encoded: EncodedPublication): number {
    if (!this.deltaNegotiated) return PLAIN;
    const patch = this.deltaReady && encoded.patchable;
    // Clients take every publication for the base of the next: one without offset is not the base that patches have.
    this.deltaReady = encoded.position.offset > 0;
    return patch ? DELTA_PATCH : DELTA_FULL;
  }

  /** A volatile publication: whether too much waits for it to be of use. */
  #drops(): boolean {
    const { context } = this.session;
    if (!this.session.lags(context.limits.volatileQueueBytes)) return false;
    context.stats.volatileDrops++;
    return true;
  }

  #keep(encoded: EncodedPublication): void {
    const buffer = this.#buffer;
    if (buffer === null || this.ended) return;
    if (buffer.length < this.session.context.limits.subscribeBuffer) buffer.push(encoded);
    else if (!encoded.isVolatile) this.overflowed = true;
  }
}

function acceptFilter(decision: SubscribeDecision, node: FilterNode): TagsFilter {
  if (decision.tagsFilter !== true) throw errorReply.badRequest('tags filter not allowed');
  return compileFilter(node);
}
