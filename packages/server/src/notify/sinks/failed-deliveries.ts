import type { SinkMessage } from './contract.ts';

/** A delivery that was given up, as the sink hands it to the store of dead letters. */
interface FailedDelivery {
  readonly sink: string;
  /** The channel without subscribers; empty when the delivery had no channel. */
  readonly channel: string;
  /** JSON value in the form of the sink's kind; `null` without a recipient. */
  readonly recipient: unknown;
  readonly message: SinkMessage;
  readonly lastError: string;
  /** Sends made so far. */
  readonly attempts: number;
  /** Unix milliseconds. */
  readonly parkedAt: number;
}

/** Where deliveries go that were given up: the queue of dead letters. */
export interface FailedDeliveries {
  /** @returns the id of the dead letter */
  push(delivery: FailedDelivery): Promise<string>;
}
