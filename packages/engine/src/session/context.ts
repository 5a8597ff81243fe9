import type { Clock, Random } from '@msg/foundation/clock';
import type { Broker } from '../broker/contract.ts';
import type { Hub } from '../delivery/hub.ts';
import type { PositionChecker } from '../delivery/position-check.ts';
import type { Limits } from '../limits.ts';
import type { ForwardPublish, Policy } from '../policy.ts';
import type { Presence } from '../presence/contract.ts';
import type { EncodedStreams } from '../replies/encoded-streams.ts';
import type { ReplyBudget } from '../replies/reply-budget.ts';
import type { NodeStats } from '../stats.ts';
import type { TimerWheel } from '../timers/timer-wheel.ts';
import type { WriteQueueOptions } from './write-queue.ts';

/** What the parts of every session of a node share. Owned by the node. */
export interface NodeContext {
  /** Id of the node in the cluster. */
  readonly nodeId: string;
  /** Reported to clients as `version`; never empty. */
  readonly version: string;
  readonly policy: Policy;
  /** What the policy publishes a client's data with. */
  readonly forwardPublish: ForwardPublish;
  readonly hub: Hub;
  readonly broker: Broker;
  readonly presence: Presence;
  readonly positions: PositionChecker;
  readonly clock: Clock;
  readonly random: Random;
  readonly wheel: TimerWheel;
  readonly limits: Limits;
  readonly writeQueue: WriteQueueOptions;
  /** What long history and recovery replies of all connections share. */
  readonly encodedStreams: EncodedStreams;
  readonly replyBudget: ReplyBudget;
  readonly stats: NodeStats;
  /** Work that a shutdown has to wait for. Must not reject. */
  inBackground(work: Promise<void>): void;
  /** Something failed that no client can be told about in detail. */
  reportError(error: unknown): void;
}

/** Calls a hook that only listens: it must not break what it listens to. */
export function notifyPolicy({ reportError }: Pick<NodeContext, 'reportError'>, call: () => void): void {
  try {
    call();
  } catch (error) {
    reportError(error);
  }
}
