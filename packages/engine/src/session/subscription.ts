import type { StreamPosition } from '../broker/contract.ts';
import type { Unsubscribe } from '../errors.ts';
import type { HubChannel } from '../hub.ts';
import type { SubscribeDecision } from '../policy.ts';
import {
  BY_ID,
  DELTA_FULL,
  DELTA_PATCH,
  PLAIN,
  type PreparedJoinLeave,
  type PreparedPublication,
} from '../prepared.ts';
import type { Session } from './session.ts';

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

  /** Takes over what the policy decided. */
  configure(
    decision: SubscribeDecision,
    wishes: { joinLeave: boolean; delta: boolean; compaction: boolean },
  ): void {
    const recovery = decision.recovery ?? 'off';
    this.state = decision.state;
    this.info = decision.info ?? null;
    this.positioned = decision.positioned === true || recovery !== 'off';
    this.pushJoinLeave = decision.pushJoinLeave === true && wishes.joinLeave;
    this.compacted = decision.compaction === true && wishes.compaction;
    this.deltaNegotiated = decision.delta === true && wishes.delta;
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
      if (offset <= this.offset) return;
      this.offset = offset;
    }
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

  /** Neither delivers nor buffers from now on. */
  end(): void {
    this.ended = true;
    this.live = false;
    this.#buffer = null;
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
