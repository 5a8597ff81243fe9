import { ErrorCode, type FilterNode, SubscribeFlag } from '@msg/protocol';
import type { StreamPosition } from '../broker/contract.ts';
import { Disconnect, ReplyError, type Unsubscribe } from '../errors.ts';
import type { HubChannel } from '../hub.ts';
import type { Expiry, Policy, SubRefreshDecision, SubscribeDecision } from '../policy.ts';
import {
  BY_ID,
  DELTA_FULL,
  DELTA_PATCH,
  PLAIN,
  type PreparedJoinLeave,
  type PreparedPublication,
} from '../prepared.ts';
import { compileFilter, type TagsFilter } from '../tags-filter.ts';
import { Announcement } from './announcement.ts';
import type { Session } from './session.ts';
import type { SubscribeWishes } from './subscribe.ts';

/**
 * One channel on one connection. While its subscribe is under way, publications are buffered; from the reply
 * on it is live and follows the stream offset by offset.
 */
export class Subscription {
  readonly session: Session;
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
  announcement: Announcement | null = null;
  /** Credential that ends, or null. */
  expiry: Expiry | null = null;
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
  #buffer: PreparedPublication[] | null = [];
  /** More arrived than may be buffered. */
  overflowed = false;

  constructor(session: Session, channel: string, serverSide: boolean) {
    this.session = session;
    this.channel = channel;
    this.serverSide = serverSide;
  }

  get buffered(): readonly PreparedPublication[] {
    return this.#buffer ?? [];
  }

  /** Takes over what the policy decided; what needs a client that understands it, only when that wished for it. */
  configure(decision: SubscribeDecision, wishes: SubscribeWishes): void {
    const { recovery = 'off', emitPresence = false, emitJoinLeave = false } = decision;
    this.state = decision.state;
    this.info = decision.info ?? null;
    this.expiry = decision.expiry ?? null;
    this.positioned = decision.positioned === true || recovery !== 'off';
    this.pushJoinLeave = decision.pushJoinLeave === true;
    this.compacted =
      decision.compaction === true &&
      (wishes.flag & SubscribeFlag.channelCompaction) !== 0 &&
      this.session.resolvesChannelIds &&
      !this.serverSide;
    this.filter = wishes.tf === null ? null : acceptFilter(decision, wishes.tf);
    this.deltaNegotiated = decision.delta === true && wishes.delta === 'fossil' && this.filter === null;
    if (emitPresence || emitJoinLeave) {
      const announced = { presence: emitPresence, joinLeave: emitJoinLeave };
      const { context } = this.session;
      this.announcement = new Announcement(context, this.channel, this.session.clientInfo(this), announced);
    }
  }

  /** Clock time at which the subscription is ended, or the server asks anew; Infinity when it never expires. */
  get expiresAt(): number {
    if (this.expiry === null) return Number.POSITIVE_INFINITY;
    return this.expiry.at + (this.expiry.clientRefresh ? this.session.limits.expiryGraceMs : 0);
  }

  /** New credentials for the subscription. */
  refreshed(decision: SubRefreshDecision): void {
    this.expiry = decision.expiry ?? null;
    if (decision.info !== undefined) this.info = decision.info;
    if ('state' in decision) this.state = decision.state;
  }

  /**
   * Time, and grace, is over: the subscription ends, unless the server manages the expiry and the policy prolongs
   * it (client protocol 7.4).
   */
  async expire(): Promise<void> {
    const { context } = this.session;
    if (this.expiry?.clientRefresh === false && context.policy.subRefresh !== undefined) {
      this.expiry = null;
      const decision = await this.#askPolicy(context.policy.subRefresh.bind(context.policy));
      if (!this.live) return;
      if (decision !== null && (decision.expiry === undefined || decision.expiry.at > context.clock.now())) {
        this.refreshed(decision);
        this.session.rearm();
        return;
      }
    }
    if (this.serverSide) this.session.close(new Disconnect(3006, 'subscription expired'));
    else this.session.subscriptions.end(this, { code: 2501, reason: 'subscription expired' });
  }

  async #askPolicy(subRefresh: NonNullable<Policy['subRefresh']>): Promise<SubRefreshDecision | null> {
    try {
      return await subRefresh(this.session, { channel: this.channel, token: '' });
    } catch (error) {
      if (!(error instanceof ReplyError)) this.session.context.reportError(error);
      return null;
    }
  }

  /** Is this live, positioned subscription anywhere else than at the given top? */
  isBehind(offset: number, epoch: string): boolean {
    return this.live && this.positioned && (this.offset !== offset || this.epoch !== epoch);
  }

  /** From now on publications are delivered, those that were buffered first. Call right after the reply is queued. */
  goLive(position: StreamPosition): void {
    this.offset = position.offset;
    this.epoch = position.epoch;
    this.live = true;
    if (this.hubChannel !== null) this.hubChannel.live++;
    const buffered = this.buffered;
    this.#buffer = null;
    for (const prepared of buffered) this.deliver(prepared);
  }

  /** A publication from the hub (client protocol 11.5). */
  deliver(prepared: PreparedPublication): void {
    if (!this.live) {
      this.#keep(prepared);
      return;
    }
    const { offset, epoch } = prepared.position;
    if (this.positioned && offset > 0) {
      if (epoch !== this.epoch || offset > this.offset + 1) {
        this.session.lostContinuity(this);
        return;
      }
      if (offset <= this.offset) {
        if (this.hubChannel !== null) this.hubChannel.overtaken = true;
        return;
      }
      this.offset = offset;
    }
    if (this.filter !== null && !prepared.passes(this.filter)) return;
    const variant = (this.compacted ? BY_ID : 0) | this.#deltaForm(prepared);
    const batch = prepared.batch(this.session.framing, variant);
    if (batch === null) {
      this.session.cannotEncode();
      return;
    }
    this.session.context.stats.deliveries++;
    this.session.push(batch);
  }

  deliverJoinLeave(prepared: PreparedJoinLeave): void {
    if (!this.live || !this.pushJoinLeave) return;
    const batch = prepared.batch(this.session.framing, this.compacted ? BY_ID : 0);
    if (batch !== null) this.session.push(batch);
  }

  /** Neither delivers nor buffers from now on. The promise, if any, says when others cannot see it any more. */
  end(): Promise<void> | null {
    this.ended = true;
    this.live = false;
    this.#buffer = null;
    return this.announcement === null ? null : this.announcement.leave();
  }

  #deltaForm(prepared: PreparedPublication): number {
    if (!this.deltaNegotiated) return PLAIN;
    const patch = this.deltaReady && prepared.patchable;
    this.deltaReady = true;
    return patch ? DELTA_PATCH : DELTA_FULL;
  }

  #keep(prepared: PreparedPublication): void {
    const buffer = this.#buffer;
    if (buffer === null || this.ended) return;
    if (buffer.length < this.session.limits.subscribeBuffer) buffer.push(prepared);
    else this.overflowed = true;
  }
}

function acceptFilter(decision: SubscribeDecision, node: FilterNode): TagsFilter {
  if (decision.tagsFilter !== true) throw new ReplyError(ErrorCode.BadRequest, 'tags filter not allowed');
  return compileFilter(node);
}
