import type { Subscribing } from './subscribe-request.ts';

/** What the orchestrating process may ask a load process. */
export type LoadQuestion =
  | {
      readonly kind: 'open';
      readonly port: number;
      /** Loopback address that the connections come from: one has no more than 28,000 ports. */
      readonly from?: string;
      readonly count: number;
      /** How many open at the same time. */
      readonly concurrency: number;
      /** Null: plain TCP receivers. */
      readonly subscribing: Subscribing | null;
      /** Take the latencies of stamped publications. */
      readonly stamped: boolean;
    }
  | { readonly kind: 'received'; readonly atLeast: number }
  /** As `received`, once nothing has arrived for a moment. */
  | { readonly kind: 'settled' }
  | { readonly kind: 'lastChunk' }
  | { readonly kind: 'latencies' }
  | { readonly kind: 'reset' };

export interface OpenResult {
  readonly wallMs: number;
  /** Payload of the frame with the first subscriber's reply, base64. */
  readonly reply: string;
}

/** Bytes since the last such answer. */
export interface Received {
  readonly total: number;
  /** Of the connections that received least and most. */
  readonly least: number;
  readonly most: number;
}

export interface LastChunk {
  /** What the first connection received last, base64. */
  readonly bytes: string;
}

export interface LatencySample {
  readonly count: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
}
