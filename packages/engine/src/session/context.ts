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
import type { WriteQueueOptions } from './write-queue-contract.ts';

/** Shared by the parts of all sessions of a node. The node owns it. */
export interface NodeContext {
  /** Id of the node in the cluster. */
  readonly nodeId: string;
  /** Reported to clients as `version`; never empty. */
  readonly version: string;
  readonly policy: Policy;
  /** Publishes a client's data for the policy. */
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
  /** Encoded publications that long history and recovery replies share. */
  readonly encodedStreams: EncodedStreams;
  readonly replyBudget: ReplyBudget;
  readonly stats: NodeStats;
  /** Adds work that a shutdown waits for. It must not reject. */
  inBackground(work: Promise<void>): void;
  /** Reports a failure of which clients get no details. */
  reportError(error: unknown): void;
}

/** Calls a notification hook; its error is reported and changes nothing. */
export function notifyPolicy({ reportError }: Pick<NodeContext, 'reportError'>, call: () => void): void {
  try {
    call();
  } catch (error) {
    reportError(error);
  }
}
