import type { Clock, Random } from '@msg/foundation/clock';
import type { Broker } from '../broker/contract.ts';
import type { Control, SurveyAnswer } from '../control/contract.ts';
import type { Limits } from '../limits.ts';
import type { Policy } from '../policy.ts';
import type { Presence } from '../presence/contract.ts';

/** What a node is made with. */
export interface NodeOptions {
  readonly policy: Policy;
  /** Reported to clients in the connect result. Default `dev`. */
  readonly version?: string;
  /** Id of this node; default a random UUID. */
  readonly nodeId?: string;
  readonly limits?: Partial<Limits>;
  /** Wait this long for more messages before a socket is written to; 0, the default: until the end of the turn. */
  readonly writeDelayMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Where streams live. Default: in the memory of this process. */
  readonly broker?: Broker;
  /** Who is subscribed to what, over all nodes. Default: in the memory of this process. */
  readonly presence?: Presence;
  /** Messages between nodes. Default: this node is alone. */
  readonly control?: Control;
  /** Answers surveys of this application's own operations, on any node. */
  readonly survey?: (operation: string, data: Uint8Array) => Promise<SurveyAnswer>;
  /**
   * Called once when a body parser of a web framework had read a request before the node's transports: its value is
   * written back as JSON, and forms of numbers may change. Default: ignored.
   */
  readonly onBodyRewritten?: () => void;
  /** Failures of hooks and backends that a client only sees as error 100. Default: ignored. */
  readonly onError?: (error: unknown) => void;
}
