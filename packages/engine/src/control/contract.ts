import type { StreamPosition } from '../broker/contract.ts';
import type { Unsubscribe } from '../errors.ts';
import type { Expiry, SubscribeDecision } from '../policy.ts';

/**
 * The connections that an operation selects: those of a user (`''` is the anonymous user), narrowed to one connection by
 * `client` (its id) or by `session` (from the connect reply of an emulated transport); or all connections.
 */
export interface ConnectionSelector {
  readonly user?: string;
  readonly client?: string;
  readonly session?: string;
  readonly allUsers?: boolean;
}

/** An operation on live connections that every node executes (client protocol 17). */
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
      /** Ids of connections that are not disconnected. */
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

/** Answer of one node to a survey. Code 0 is success; the operation defines the others. */
export interface SurveyAnswer {
  readonly code: number;
  readonly data: Uint8Array;
}

/** The node's side of the control bus. */
export interface ControlHandler {
  /** Version of the node, for the node lists of others. */
  readonly version: string;
  /** The live nodes are others now. */
  nodesChanged?(): void;
  /** Executes a command that another node issued. */
  execute(command: ControlCommand): void;
  /** Answers a survey of this node or of another node. */
  survey(operation: string, data: Uint8Array): Promise<SurveyAnswer>;
  /**
   * Of a process with threads: its answers to a survey of another process, by node id, its own among them; or that of
   * `thread` alone, 404 for one that is not there. Its own is a failure where a thread does not answer.
   */
  surveyThreads?(
    operation: string,
    data: Uint8Array,
    thread?: string,
  ): Promise<ReadonlyMap<string, SurveyAnswer>>;
}

/** Messages between nodes, best effort: a disconnected node misses them. Contract tests: `@msg/engine/testing`. */
export interface Control {
  /** True: surveys of other processes reach the threads of this one, and this one's those of others. Default: false. */
  readonly reachesThreads?: boolean;
  start(nodeId: string, handler: ControlHandler): Promise<void>;
  stop(): Promise<void>;
  /** Ids of the live nodes, this one included. */
  nodes(): readonly string[];
  /** Sends a command to all other nodes; this node has already executed it. */
  broadcast(command: ControlCommand): Promise<void>;
  /**
   * Surveys one node, or all nodes with this one; resolves to the answers by node id. A node that does not answer
   * within `withinMs` (default 10 s) is missing.
   */
  survey(
    operation: string,
    data: Uint8Array,
    toNode?: string,
    withinMs?: number,
  ): Promise<ReadonlyMap<string, SurveyAnswer>>;
}
