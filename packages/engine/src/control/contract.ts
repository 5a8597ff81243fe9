import type { StreamPosition } from '../broker/contract.ts';
import type { Unsubscribe } from '../errors.ts';
import type { Expiry, SubscribeDecision } from '../policy.ts';

/**
 * Whom an operation reaches: the connections of a user (`''` is the anonymous user), narrowed to one connection
 * by `client` (its id) or by `session` (what the connect reply of an emulated transport holds); or everybody.
 */
export interface ConnectionSelector {
  readonly user?: string;
  readonly client?: string;
  readonly session?: string;
  readonly allUsers?: boolean;
}

/** An operation on live connections, carried out on every node (client protocol 17). */
export type ControlCommand =
  | {
      readonly kind: 'unsubscribe';
      readonly target: ConnectionSelector;
      /** Empty: all channels of the connections. */
      readonly channel: string;
      readonly unsubscribe: Unsubscribe;
    }
  | {
      readonly kind: 'disconnect';
      readonly target: ConnectionSelector;
      readonly code: number;
      readonly reason: string;
      /** Connection ids that stay. */
      readonly except: readonly string[];
    }
  | {
      readonly kind: 'subscribe';
      readonly target: ConnectionSelector;
      readonly channel: string;
      readonly decision: SubscribeDecision;
      readonly since: StreamPosition | null;
    }
  | {
      readonly kind: 'refresh';
      readonly target: ConnectionSelector;
      readonly expiry: Expiry | null;
      readonly info: Uint8Array | null;
    };

/** Answer of one node to a survey. Code 0 is success; others are the operation's own. */
export interface SurveyAnswer {
  readonly code: number;
  readonly data: Uint8Array;
}

/** What the control bus asks of its node. */
export interface ControlHandler {
  /** Version of the node, for the node lists of others. */
  readonly version: string;
  /** Carries out a command that another node issued. */
  execute(command: ControlCommand): void;
  /** Answers a survey, of this node or another. */
  survey(operation: string, data: Uint8Array): Promise<SurveyAnswer>;
}

/**
 * Messages between nodes. Best effort: a node that is cut off misses them. Contract tests:
 * `@msg/engine/testing`.
 */
export interface Control {
  start(nodeId: string, handler: ControlHandler): Promise<void>;
  stop(): Promise<void>;
  /** Ids of the live nodes, this one included. */
  nodes(): readonly string[];
  /** Hands a command to all other nodes; this one has carried it out already. */
  broadcast(command: ControlCommand): Promise<void>;
  /**
   * Asks one node, or all, this one included; answers by node id. A node that does not answer in time is missing.
   */
  survey(operation: string, data: Uint8Array, toNode?: string): Promise<ReadonlyMap<string, SurveyAnswer>>;
}
