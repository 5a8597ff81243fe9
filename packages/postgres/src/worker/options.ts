import type { Clock, Random } from '@msg/foundation/clock';
import type { OutboxEvent, OutboxPublisher, PostgresSql, SchemaOptions } from '../contract.ts';

/** Options of an `OutboxWorker`. */
export interface OutboxWorkerOptions extends SchemaOptions {
  /** A `postgres` instance: its options. The worker opens connections of its own. */
  readonly sql: PostgresSql;
  /** The service. */
  readonly msg: OutboxPublisher;
  /** Batches at the same time, 1 to 64: more than one while more rows are due than one batch holds. Default 2. */
  readonly workers?: number;
  /** Rows of a batch, 1 to 1,000. Default 500. */
  readonly batch?: number;
  /** How long an idle worker waits, milliseconds, unless a commit wakes it. Default 500. */
  readonly pollIntervalMs?: number;
  /** How long a row waits for its channel to be opened, milliseconds. Default 60,000. */
  readonly waitForChannelMs?: number;
  /** Opens a channel that is not open; absent: rows wait for it. */
  readonly openChannel?: (name: string) => Promise<unknown>;
  /** `msg.publish` fails with SQLSTATE 53400 when about so many rows wait; 0: unbounded; absent: unchanged. */
  readonly maxRows?: number;
  /** Use notifications of commits. Default true; false polls only. */
  readonly bell?: boolean;
  readonly onEvent?: (event: OutboxEvent) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}
