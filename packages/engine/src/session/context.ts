import type { Broker } from '../broker/contract.ts';
import type { Clock } from '../clock/clock.ts';
import type { Random } from '../clock/random.ts';
import type { TimerWheel } from '../clock/timer-wheel.ts';
import type { Hub } from '../hub.ts';
import type { Limits } from '../limits.ts';
import type { AroundPublish, Policy } from '../policy.ts';
import type { PositionChecker } from '../position-checker.ts';
import type { Presence } from '../presence/contract.ts';
import type { NodeStats } from '../stats.ts';
import type { OutboxContext } from './outbox.ts';
import type { Session } from './session.ts';

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
  readonly outbox: OutboxContext;
  readonly stats: NodeStats;
  readonly sessions: SessionRegistry;
  /** Work that a shutdown has to wait for. Must not reject. */
  inBackground(work: Promise<void>): void;
  /** Something failed that no client can be told about in detail. */
  reportError(error: unknown): void;
}

/** The node's connections, as a session sees them. */
export interface SessionRegistry {
  /** A transport opened. */
  add(session: Session): void;
  /** The session's user is known. False: the user has too many connections. */
  identify(session: Session): boolean;
  /** The session is connected: requests to the emulation endpoint may name it. */
  admitted(session: Session): void;
  /** The session has closed; its transport may still be sending. */
  closed(session: Session): void;
  /** The transport of a closed session is gone. */
  gone(session: Session): void;
}
