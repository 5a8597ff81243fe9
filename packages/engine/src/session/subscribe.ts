import {
  ErrorCode,
  type Init,
  type Publication,
  SubscribeFlag,
  type SubscribeRequest,
  type SubscribeResult,
} from '@msg/protocol';
import { DEFAULT_META_TTL_MS, type HistoryResult, type StreamPosition } from '../broker/contract.ts';
import { Disconnect, ReplyError } from '../errors.ts';
import type { SubscribeDecision } from '../policy.ts';
import { continues } from '../stream/continuity.ts';
import { continuesFrom, recoverLatest } from '../stream/recovery.ts';
import { secondsUntil } from './expiry.ts';
import type { Subscription } from './subscription.ts';

/** What of a subscribe request matters after authorization; server-side subscriptions fill in less. */
export type SubscribeWishes = Pick<
  SubscribeRequest,
  'recover' | 'offset' | 'epoch' | 'delta' | 'flag' | 'joinLeave'
>;

/** A registered subscription whose history is read: everything that needs waiting is done. */
export interface PreparedSubscribe {
  readonly subscription: Subscription;
  readonly decision: SubscribeDecision;
  readonly wishes: SubscribeWishes;
  /** Top of the stream when it was read; null for a subscription without position. */
  readonly top: StreamPosition | null;
  /** Missed publications, ascending; null: not recovered. */
  readonly recovered: readonly Publication[] | null;
  readonly wasRecovering: boolean;
}

/**
 * The part of the subscribe algorithm that waits (client protocol 11.4, steps 2 to 5): registers in the hub —
 * publications are buffered from here on —, then reads history. A subscription that ended meanwhile throws.
 * The caller undoes the registration of a subscribe that failed.
 */
export async function prepareSubscribe(
  subscription: Subscription,
  decision: SubscribeDecision,
  wishes: SubscribeWishes,
): Promise<PreparedSubscribe> {
  subscription.configure(decision, {
    joinLeave: wishes.joinLeave,
    delta: wishes.delta === 'fossil',
    compaction: (wishes.flag & SubscribeFlag.channelCompaction) !== 0,
  });
  const { context } = subscription.session;
  await context.hub.add(subscription).catch(failure);
  assertNotEnded(subscription);
  const nothing = { subscription, decision, wishes, top: null, recovered: null, wasRecovering: false };
  if (!subscription.positioned) return nothing;
  const mode = decision.recovery ?? 'off';
  const wasRecovering =
    (mode !== 'off' && wishes.recover) || (mode === 'cache' && decision.autoCacheRecovery === true);
  const history = await readHistory(subscription, mode, wasRecovering ? wishes : null).catch(failure);
  assertNotEnded(subscription);
  const recovered = wasRecovering ? recover(mode, wishes, history) : null;
  return { ...nothing, top: { offset: history.offset, epoch: history.epoch }, recovered, wasRecovering };
}

/**
 * Settles the subscribe result. From here to `completeSubscribe` nothing may wait: what is buffered by now is
 * part of this subscribe, what comes later is live. Throws {@link Disconnect} 3010 when continuity got lost,
 * {@link ReplyError} 112 when the client rejects a failed recovery.
 */
export function settleSubscribe(prepared: PreparedSubscribe): Init<SubscribeResult> {
  const { subscription, decision, top } = prepared;
  const { clock } = subscription.session.context;
  if (subscription.overflowed || (top !== null && !continues(top, subscription.buffered))) {
    throw new Disconnect(3010, 'insufficient state');
  }
  const { data, expiry } = decision;
  return {
    ...(top === null ? {} : positionResult(prepared, top)),
    ...(data === undefined ? {} : { data }),
    ...(expiry?.clientRefresh === true ? { expires: true, ttl: secondsUntil(expiry.at, clock.now()) } : {}),
    delta: subscription.deltaNegotiated,
    id: subscription.compacted ? (subscription.hubChannel?.id ?? 0) : 0,
  };
}

function positionResult(prepared: PreparedSubscribe, top: StreamPosition): Init<SubscribeResult> {
  const { subscription, decision, wishes, recovered, wasRecovering } = prepared;
  const { stats } = subscription.session.context;
  const { recovery = 'off' } = decision;
  const result = { positioned: true, recoverable: recovery !== 'off', epoch: top.epoch, wasRecovering };
  if (recovered !== null) {
    stats.recovered++;
    return { ...result, offset: wishes.offset, recovered: true, publications: recovered };
  }
  if (wasRecovering) stats.unrecovered++;
  if (wasRecovering && recovery === 'stream' && (wishes.flag & SubscribeFlag.rejectUnrecovered) !== 0) {
    throw new ReplyError(ErrorCode.UnrecoverablePosition, 'unrecoverable position');
  }
  return { ...result, offset: top.offset };
}

/** Makes a settled subscription live at the position of its result. Call right after the reply is queued. */
export function completeSubscribe({ subscription, top }: PreparedSubscribe): void {
  subscription.goLive(top ?? { offset: 0, epoch: '' });
}

function readHistory(
  subscription: Subscription,
  mode: 'off' | 'stream' | 'cache',
  from: SubscribeWishes | null,
): Promise<HistoryResult> {
  const { broker, limits, policy } = subscription.session.context;
  const metaTtlMs = policy.streamOptions?.(subscription.channel).metaTtlMs ?? DEFAULT_META_TTL_MS;
  if (from === null) return broker.history(subscription.channel, { limit: 0 }, metaTtlMs);
  if (mode === 'cache') return broker.history(subscription.channel, { limit: 1, reverse: true }, metaTtlMs);
  const limit = limits.recoveryItems === 0 ? -1 : limits.recoveryItems;
  const since = { offset: from.offset, epoch: '' };
  return broker.history(subscription.channel, { since, limit }, metaTtlMs);
}

function recover(
  mode: 'off' | 'stream' | 'cache',
  client: StreamPosition,
  history: HistoryResult,
): readonly Publication[] | null {
  if (mode === 'cache') return recoverLatest(client, history.publications[0], history);
  return continuesFrom(client, history) ? history.publications : null;
}

function assertNotEnded(subscription: Subscription): void {
  if (subscription.ended) throw new SubscribeAbandoned();
}

/** The broker failed: the state of this connection would be ambiguous (client protocol 11.4). */
function failure(error: unknown): never {
  if (error instanceof Disconnect || error instanceof ReplyError) throw error;
  throw new Disconnect(3004, 'internal server error');
}

/** The connection closed, or the subscription was taken away, while its subscribe was under way. */
export class SubscribeAbandoned extends Error {
  override readonly name = 'SubscribeAbandoned';
}
