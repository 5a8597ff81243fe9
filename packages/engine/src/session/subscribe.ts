import {
  type Encoding,
  ErrorCode,
  type Init,
  jsonString,
  type Publication,
  SubscribeFlag,
  type SubscribeRequest,
  type SubscribeResult,
} from '@msg/protocol';
import { DEFAULT_META_TTL_MS, type HistoryResult, type StreamPosition } from '../broker/contract.ts';
import { Disconnect, ReplyError } from '../errors.ts';
import type { SubscribeDecision } from '../policy.ts';
import { countUnrecovered } from '../stats.ts';
import { continues } from '../stream/continuity.ts';
import { patchBetween } from '../stream/delta.ts';
import {
  continuesFrom,
  recoverLatest,
  type UnrecoveredReason,
  unrecoveredReason,
} from '../stream/recovery.ts';
import { announcedExpiry } from './expiry.ts';
import type { Subscription } from './subscription.ts';

/** What of a subscribe request matters after authorization; server-side subscriptions fill in less. */
export type SubscribeWishes = Pick<
  SubscribeRequest,
  'recover' | 'offset' | 'epoch' | 'delta' | 'flag' | 'tf'
>;

/** A registered subscription whose history is read: everything that needs waiting is done. */
export interface PreparedSubscribe {
  readonly subscription: Subscription;
  readonly decision: SubscribeDecision;
  readonly wishes: SubscribeWishes;
  /** Top of the stream when it was read; null for a subscription without position. */
  readonly top: StreamPosition | null;
  /** Missed publications that pass the filter, ascending; null: not recovered. */
  readonly recovered: readonly Publication[] | null;
  readonly wasRecovering: boolean;
  /** Why the wish to recover failed; null: it did not. */
  readonly unrecovered: UnrecoveredReason | null;
}

/**
 * The part of the subscribe algorithm that waits (client protocol 11.4, steps 2 to 5): registers in the hub —
 * publications are buffered from here on —, adds the presence entry, reads history. A subscription that ended
 * meanwhile throws {@link SubscribeAbandoned}. The caller releases the subscription of a failed subscribe.
 */
export async function prepareSubscribe(
  subscription: Subscription,
  decision: SubscribeDecision,
  wishes: SubscribeWishes,
): Promise<PreparedSubscribe> {
  assertNotEnded(subscription);
  subscription.configure(decision, wishes);
  await subscription.session.context.hub.add(subscription).catch(brokerFailed);
  assertNotEnded(subscription);
  if (subscription.announcement !== null) {
    await subscription.announcement.enter().catch(brokerFailed);
    assertNotEnded(subscription);
  }
  const nothing = {
    subscription,
    decision,
    wishes,
    top: null,
    recovered: null,
    wasRecovering: false,
    unrecovered: null,
  };
  if (!subscription.positioned) return nothing;
  const { recovery = 'off', autoCacheRecovery = false } = decision;
  const wasRecovering = recovery !== 'off' && (wishes.recover || (recovery === 'cache' && autoCacheRecovery));
  const history = await readHistory(subscription, recovery, wasRecovering ? wishes : null).catch(
    brokerFailed,
  );
  assertNotEnded(subscription);
  const recovered = wasRecovering ? recover(subscription, recovery, wishes, history) : null;
  const unrecovered = wasRecovering && recovered === null ? unrecoveredReason(wishes, history) : null;
  const top = { offset: history.offset, epoch: history.epoch };
  return { ...nothing, top, recovered, wasRecovering, unrecovered };
}

/**
 * Settles the subscribe result. From here to `completeSubscribe` nothing may wait: what is buffered by now is
 * part of this subscribe, what comes later is live. Throws {@link Disconnect} 3010 when continuity got lost,
 * {@link ReplyError} 112 when the client rejects a failed recovery.
 */
export function settleSubscribe(prepared: PreparedSubscribe): Init<SubscribeResult> {
  const { subscription, decision, top } = prepared;
  assertNotEnded(subscription);
  if (subscription.overflowed || (top !== null && !continues(top, subscription.buffered))) {
    throw new Disconnect(3010, 'insufficient state');
  }
  const { data, expiry } = decision;
  return {
    ...(top === null ? {} : positionResult(prepared, top)),
    ...(data === undefined ? {} : { data }),
    ...announcedExpiry(expiry, subscription.session.context.clock.now()),
    delta: subscription.deltaNegotiated,
    id: subscription.compacted ? (subscription.hubChannel?.id ?? 0) : 0,
  };
}

/** Makes a settled subscription live at the position of its result. Call right after the reply is queued. */
export function completeSubscribe({ subscription, top, recovered }: PreparedSubscribe): void {
  // A client that got nothing may hold no base: its first publication comes in full (client protocol 12.1).
  subscription.deltaReady = recovered !== null && recovered.length > 0;
  // The history was just read: a channel that is new on this node needs no check before its time.
  const { hubChannel } = subscription;
  if (hubChannel !== null && hubChannel.verifiedAt === 0) {
    hubChannel.verifiedAt = subscription.session.context.clock.now();
  }
  subscription.goLive(top ?? { offset: 0, epoch: '' });
  subscription.announcement?.join();
}

function positionResult(prepared: PreparedSubscribe, top: StreamPosition): Init<SubscribeResult> {
  const { subscription, decision, wishes, recovered, wasRecovering } = prepared;
  const { session } = subscription;
  const { recovery = 'off' } = decision;
  const result = { positioned: true, recoverable: recovery !== 'off', epoch: top.epoch, wasRecovering };
  if (recovered !== null) {
    session.context.stats.recovered++;
    const publications = subscription.deltaNegotiated
      ? deltaChain(session.framing.codec.encoding, recovered)
      : recovered;
    return { ...result, offset: wishes.offset, recovered: true, publications };
  }
  if (prepared.unrecovered !== null) countUnrecovered(session.context.stats, prepared.unrecovered);
  if (wasRecovering && recovery === 'stream' && (wishes.flag & SubscribeFlag.rejectUnrecovered) !== 0) {
    throw new ReplyError(ErrorCode.UnrecoverablePosition, 'unrecoverable position');
  }
  return { ...result, offset: top.offset };
}

/**
 * Recovered publications of a delta subscription: the first in full, each next as a patch where that pays. Whether
 * the publisher permitted patches concerns live delivery; no store keeps it (client protocol 12.1, 16.2).
 */
function deltaChain(encoding: Encoding, publications: readonly Publication[]): Init<Publication>[] {
  return publications.map((publication, i) => {
    const previous = publications[i - 1];
    const patch = previous === undefined ? null : patchBetween(encoding, previous.data, publication.data);
    const data = patch ?? (encoding === 'protobuf' ? publication.data.bytes : publication.data.json);
    if (data === null) throw new Disconnect(3506, 'inappropriate protocol');
    return {
      ...publication,
      data: encoding === 'protobuf' ? data : jsonString(data),
      delta: patch !== null,
    };
  });
}

function readHistory(
  subscription: Subscription,
  recovery: 'off' | 'stream' | 'cache',
  from: SubscribeWishes | null,
): Promise<HistoryResult> {
  const { broker, limits, policy } = subscription.session.context;
  const metaTtlMs = policy.streamOptions?.(subscription.channel).metaTtlMs ?? DEFAULT_META_TTL_MS;
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
  { filter }: Subscription,
  recovery: 'off' | 'stream' | 'cache',
  client: StreamPosition,
  history: HistoryResult,
): readonly Publication[] | null {
  const { publications } = history;
  const passing = filter === null ? publications : publications.filter(({ tags }) => filter.matches(tags));
  if (recovery === 'cache') return recoverLatest(client, passing[0], history, publications[0]?.offset);
  return continuesFrom(client, history) ? passing : null;
}

function assertNotEnded(subscription: Subscription): void {
  if (subscription.ended) throw new SubscribeAbandoned();
}

/** The state of this connection would be ambiguous (client protocol 11.4). */
function brokerFailed(error: unknown): never {
  if (error instanceof Disconnect || error instanceof ReplyError) throw error;
  throw new Disconnect(3004, 'internal server error');
}

/** The connection closed, or the subscription was taken away, while its subscribe was under way. */
export class SubscribeAbandoned extends Error {
  override readonly name = 'SubscribeAbandoned';
}
