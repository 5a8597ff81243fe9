import type { Balancing } from './balancer.ts';

/** What the orchestrating process may ask the load of a rolling restart. */
export type RollingQuestion =
  | {
      readonly kind: 'open';
      readonly ports: readonly number[];
      readonly balancing: Balancing;
      readonly count: number;
      readonly channels: number;
      readonly seed: number;
    }
  /** Answered with a {@link Spread}. */
  | { readonly kind: 'spread' }
  /** Answered with the {@link Seen} since the last such answer. */
  | { readonly kind: 'seen' }
  /** Answered with {@link Completed} when every client has the last publication of its channel, or the deadline is over. */
  | { readonly kind: 'complete'; readonly last: readonly number[] }
  | { readonly kind: 'stop' };

/** Where the clients are. */
export interface Spread {
  /** Subscribed clients of each node. */
  readonly live: readonly number[];
  /** Nodes that the balancer gives connections to. */
  readonly ready: number;
}

/** What the clients saw. */
export interface Seen {
  /** Subscribes of clients that came back and were told `recovered: false`. */
  readonly unrecovered: number;
  /** Publications that a client did not get, and that it got twice. */
  readonly missing: number;
  readonly doubled: number;
  /** Clients that came back, and connections that were refused or broke before they were subscribed. */
  readonly back: number;
  readonly refused: number;
  /** The most that came back in one second. */
  readonly mostPerSecond: number;
  /** From the loss of a connection until its client was subscribed again. */
  readonly awayMs: { readonly median: number; readonly longest: number };
  /** From publishing to a client, recovered publications included: the longest. */
  readonly latestMs: number;
}

export interface Completed {
  /** Publications that clients still lack. */
  readonly lacking: number;
}
