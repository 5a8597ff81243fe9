/** What the run asks of the healthy client's process. */
export type HealthyRequest = 'begin' | 'end';

/** What a healthy client saw between `begin` and `end`. */
export interface HealthyReport {
  /** Publications that the service took. */
  readonly published: number;
  /** Publishes that were asked again because the service said 503. */
  readonly retried: number;
  /** Publishes that got no answer, or another refusal. */
  readonly failed: number;
  /** What the first of them met. */
  readonly failure: string;
  readonly received: number;
  /** Taken publications that did not arrive. */
  readonly missed: number;
  readonly doubled: number;
  /** Times the client lost its connection. */
  readonly reconnected: number;
  /** From the publish call to the receipt, milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}
