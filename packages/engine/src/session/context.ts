import type { Clock, Random } from '@msg/foundation/clock';
import type { Broker } from '../broker/contract.ts';
import type { Hub } from '../delivery/hub.ts';
import type { PositionChecker } from '../delivery/position-check.ts';
import type { Limits } from '../limits.ts';
import type { AroundPublish, Policy } from '../policy.ts';
import type { Presence } from '../presence/contract.ts';
import type { EncodedStreams } from '../replies/encoded-streams.ts';
import type { NodeStats } from '../stats.ts';
import type { TimerWheel } from '../timers/timer-wheel.ts';
import type { Session } from './session.ts';
import type { WriteQueueOptions } from './write-queue.ts';

/** What every session of a node shares. Owned by the node. */
export interface NodeContext {
  /** Id of the node in the cluster. */
  readonly nodeId: string;
  /** Reported to clients as `version`; never empty. */
  readonly version: string;
  readonly policy: Policy;
  readonly aroundPublish: AroundPublish | undefined;
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
  readonly stats: NodeStats;
  readonly sessions: SessionRegistration;
  /** Work that a shutdown has to wait for. Must not reject. */
  inBackground(work: Promise<void>): void;
  /** Something failed that no client can be told about in detail. */
  reportError(error: unknown): void;
}

/** The node's connections, as a session sees them. */
export interface SessionRegistration {
  /** A transport opened. */
  add(session: Session): void;
  /** The session's user is known. False: the user has too many connections. */
  registerUser(session: Session): boolean;
  /** The session is connected: requests to the emulation endpoint may name it. */
  connected(session: Session): void;
  /** The session has closed; its transport may still be sending. */
  closed(session: Session): void;
  /** The transport of a closed session is gone. */
  transportClosed(session: Session): void;
}
