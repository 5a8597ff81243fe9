import { type Init, type Publication, SubscribeFlag, type SubscribeResult } from '@msg/protocol';
import { DEFAULT_META_TTL_MS, type HistoryResult, type StreamPosition } from '../broker/contract.ts';
import { Disconnect, disconnect, errorReply, ReplyError } from '../errors.ts';
import { ownListBytes } from '../limits.ts';
import type { SubscribeDecision } from '../policy.ts';
import { PublicationList } from '../replies/publication-list.ts';
import { countUnrecovered } from '../stats.ts';
import { continues } from '../stream/continuity.ts';
import {
  continuesFrom,
  recoverLatest,
  type UnrecoveredReason,
  unrecoveredReason,
} from '../stream/recovery.ts';
import { announcedExpiry } from './expiry.ts';
import { requireReadable } from './readable.ts';
import type { SubscribeRequestOptions } from './subscribe-request.ts';
import type { Subscription } from './subscription.ts';

/** A registered subscription whose history was read: its waiting is over. */
export interface PendingSubscribe {
  readonly subscription: Subscription;
  readonly decision: SubscribeDecision;
  readonly requested: SubscribeRequestOptions;
  /** Top of the stream when it was read; null for a subscription without position. */
  readonly top: StreamPosition | null;
  /** Missed publications, ascending; null: not recovered. */
  readonly recovered: PublicationList | null;
  /**
   * Without recovery, while a message grows: its newest state, and what is retained after it. They follow the reply, whose
   * position is before them (append streams 8.4).
   */
  readonly joined: readonly Publication[];
  readonly wasRecovering: boolean;
  /** Why the recovery failed; null: it did not. */
  readonly unrecovered: UnrecoveredReason | null;
}

/**
 * The part of the subscribe algorithm that waits (client protocol 11.4, steps 2 to 5): registers in the hub, which starts
 * the buffering of publications, adds the presence entry, reads the history. Throws {@link SubscribeCancelled} for a
 * subscription that ended meanwhile. The caller releases the subscription of a failed subscribe.
 */
export async function prepareSubscribe(
  subscription: Subscription,
  decision: SubscribeDecision,
  requested: SubscribeRequestOptions,
): Promise<PendingSubscribe> {
  assertNotEnded(subscription);
  subscription.configure(decision, requested);
  await subscription.session.context.hub.add(subscription).catch(brokerFailed);
  assertNotEnded(subscription);
  if (subscription.presenceEntry !== null) {
    await subscription.presenceEntry.add().catch(brokerFailed);
    assertNotEnded(subscription);
  }
  const nothing = {
    subscription,
    decision,
    requested,
    top: null,
    recovered: null,
    joined: [],
    wasRecovering: false,
    unrecovered: null,
  };
  if (!subscription.positioned) return nothing;
  const { recovery = 'off', autoCacheRecovery = false } = decision;
  const wasRecovering =
    recovery !== 'off' && (requested.recover || (recovery === 'cache' && autoCacheRecovery));
  const history = await readHistory(subscription, recovery, wasRecovering ? requested : null).catch(
    brokerFailed,
  );
  assertNotEnded(subscription);
  // A client that asked for nothing gets the latest publication, unless that is part of a message that grows.
  const joins = !requested.recover && history.compacted?.open != null;
  const recovered = wasRecovering && !joins ? recover(subscription, recovery, requested, history) : null;
  // Without a position nothing can be lost: an empty channel with automatic cache recovery is not a failure.
  const failed = wasRecovering && requested.recover && recovered === null;
  const unrecovered = failed ? unrecoveredReason(requested, history) : null;
  const top = { offset: history.offset, epoch: history.epoch };
  const joined = recovered === null ? openMessage(history) : [];
  return { ...nothing, top, recovered, joined, wasRecovering, unrecovered };
}

/**
 * Makes the subscribe result. No code may wait between this and `completeSubscribe`: publications that are buffered by
 * now are part of this subscribe, later ones are live. Throws {@link Disconnect} 3010 when continuity is lost, {@link
 * ReplyError} 112 when the client rejects a failed recovery.
 */
export function settleSubscribe(pending: PendingSubscribe): Init<SubscribeResult> {
  const { subscription, decision, top } = pending;
  assertNotEnded(subscription);
  if (subscription.overflowed || (top !== null && !continues(top, subscription.buffered))) {
    throw disconnect.insufficientState();
  }
  const { data, expiry } = decision;
  const result = {
    ...positionResult(pending, top),
    ...announcedExpiry(expiry, subscription.session.context.clock.now()),
    delta: subscription.deltaNegotiated,
    id: subscription.compacted ? (subscription.hubChannel?.id ?? 0) : 0,
  };
  return data === undefined ? result : { ...result, data };
}

/** Makes a settled subscription live at the position of its result. Call right after the reply is queued. */
export function completeSubscribe({ subscription, top, recovered, joined }: PendingSubscribe): void {
  // A client without a recovered publication may hold no base: its first publication is sent in full (client protocol
  // 12.1).
  subscription.deltaReady = recovered !== null && recovered.publications.length > 0;
  // The history was just read: a channel that is new on this node needs no position check yet.
  const { hubChannel } = subscription;
  if (hubChannel !== null && hubChannel.verifiedAt === Number.NEGATIVE_INFINITY) {
    hubChannel.verifiedAt = subscription.session.context.clock.monotonic();
  }
  subscription.goLive(top ?? { offset: 0, epoch: '' }, joined);
  subscription.presenceEntry?.join();
}

/** The recovered publications in the results of these subscribes. */
export function recoveredLists(pending: readonly PendingSubscribe[]): PublicationList[] {
  return pending.flatMap(({ recovered }) => (recovered === null ? [] : [recovered]));
}

/** The members of a subscription that has a position; none without `top`. */
function positionResult(pending: PendingSubscribe, top: StreamPosition | null): Init<SubscribeResult> {
  if (top === null) return {};
  const { subscription, decision, requested, recovered, wasRecovering } = pending;
  const { session } = subscription;
  const { recovery = 'off' } = decision;
  const result = { positioned: true, recoverable: recovery !== 'off', epoch: top.epoch, wasRecovering };
  if (recovered !== null) {
    session.context.stats.recovered++;
    const publications = recovered.elements(session.framing.codec.encoding);
    return { ...result, offset: requested.offset, recovered: true, publications };
  }
  if (pending.unrecovered !== null) countUnrecovered(session.context.stats, pending.unrecovered);
  if (wasRecovering && recovery === 'stream' && (requested.flag & SubscribeFlag.rejectUnrecovered) !== 0) {
    throw errorReply.unrecoverablePosition();
  }
  return { ...result, offset: offsetBefore(pending) };
}

/** The position of a subscription that does not recover. */
export function offsetBefore({ joined: [state], top }: PendingSubscribe): number {
  return state === undefined ? (top?.offset ?? 0) : state.offset - 1;
}

/** The newest state of the message that grows, and what followed it. */
function openMessage({ compacted }: HistoryResult): readonly Publication[] {
  const open = compacted?.open ?? null;
  return compacted === undefined || open === null ? [] : [open, ...compacted.following];
}

function readHistory(
  subscription: Subscription,
  recovery: 'off' | 'stream' | 'cache',
  from: SubscribeRequestOptions | null,
): Promise<HistoryResult> {
  const { broker, limits, policy } = subscription.session.context;
  const metaTtlMs = policy.streamOptions?.(subscription.channel).metaTtlMs ?? DEFAULT_META_TTL_MS;
  const isCache = from !== null && recovery === 'cache';
  const position = isCache ? null : (broker.position?.(subscription.channel) ?? null);
  // Nothing was published since then.
  if (position !== null && (from === null || from.offset >= position.offset))
    return Promise.resolve({ publications: [], ...position });
  if (from === null) return broker.history(subscription.channel, { limit: 0 }, metaTtlMs);
  if (recovery === 'cache') {
    const limit = subscription.filter === null ? 1 : -1;
    return broker.history(subscription.channel, { limit, reverse: true }, metaTtlMs);
  }
  const limit = limits.recoveryItems === 0 ? -1 : limits.recoveryItems;
  const since = { offset: from.offset, epoch: '' };
  return broker.history(subscription.channel, { since, limit }, metaTtlMs);
}

function recover(
  subscription: Subscription,
  recovery: 'off' | 'stream' | 'cache',
  client: StreamPosition,
  history: HistoryResult,
): PublicationList | null {
  const { channel, session } = subscription;
  const { epoch } = history;
  let { publications: window } = history;
  let { filter } = subscription;
  if (recovery === 'cache') {
    const passes = ({ tags }: Publication): boolean => filter === null || filter.matches(tags);
    const latest = recoverLatest(client, window.find(passes), history, window[0]?.offset);
    if (latest === null) return null;
    window = latest;
    filter = null;
  } else if (!continuesFrom(client, history)) return null;
  const ownBytes = ownListBytes(session.context.limits);
  const withoutPatches = history.compacted !== undefined;
  const options = { channel, epoch, kind: 'recovery', window, filter, ownBytes, withoutPatches } as const;
  const list = new PublicationList(options, subscription.deltaNegotiated);
  requireReadable(session, list.publications);
  return list;
}

function assertNotEnded(subscription: Subscription): void {
  if (subscription.ended) throw new SubscribeCancelled();
}

/** The state of this connection would be ambiguous (client protocol 11.4). */
function brokerFailed(error: unknown): never {
  if (error instanceof Disconnect || error instanceof ReplyError) throw error;
  throw disconnect.internalServerError();
}

/** The connection or the subscription ended during the subscribe. */
export class SubscribeCancelled extends Error {
  override readonly name = 'SubscribeCancelled';
}
