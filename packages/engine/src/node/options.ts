import type { Clock, Random } from '@msg/foundation/clock';
import type { AppendEnd } from '../append/contract.ts';
import type { ProcessBounds } from '../bounds.ts';
import type { Broker } from '../broker/contract.ts';
import type { Control, SurveyAnswer } from '../control/contract.ts';
import type { Limits } from '../limits.ts';
import type { Policy } from '../policy.ts';
import type { Presence } from '../presence/contract.ts';

/** Options of a node. */
export interface NodeOptions {
  readonly policy: Policy;
  /** Reported to clients in the connect result. Default `dev`. */
  readonly version?: string;
  /** Id of this node; default a random UUID. */
  readonly nodeId?: string;
  readonly limits?: Partial<Limits>;
  /** What this node counts together with others of its process, so that `limits` hold for all. Default: it counts alone. */
  readonly bounds?: ProcessBounds;
  /**
   * How long a connection collects messages before it writes to its socket, milliseconds; 0, the default: until the end
   * of the turn.
   */
  readonly writeDelayMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Where streams live. Default: in the memory of this process. */
  readonly broker?: Broker;
  /** Presence entries of all nodes. Default: in the memory of this process. */
  readonly presence?: Presence;
  /** Messages between nodes. Default: a single node. */
  readonly control?: Control;
  /** Answers surveys of this application's own operations, on any node. */
  readonly survey?: (operation: string, data: Uint8Array) => Promise<SurveyAnswer>;
  /**
   * Called once when a web framework's body parser read a request before the node's transports: the parsed value is
   * written back as JSON, which may change the form of numbers. Default: ignored.
   */
  readonly onBodyRewritten?: () => void;
  /**
   * Called for each state of an append stream that this node stored, so once over all nodes; null: its message is still
   * open. Default: ignored.
   */
  readonly onAppended?: (channel: string, end: AppendEnd | null) => void;
  /**
   * Called when the message of a channel ended, was cancelled or got another producer, on any node, as far as this node has
   * subscribers of the channel or watches it. Default: ignored.
   */
  readonly onAppendChanged?: (channel: string) => void;
  /** Called for failures of hooks and backends, of which a client sees only error 100. Default: ignored. */
  readonly onError?: (error: unknown) => void;
}
