/** What the load of the rows about latency is asked. */
export type AcrossQuestion =
  /** Opens the connection that publishes into the channel. */
  | { readonly kind: 'publisher'; readonly port: number; readonly token: string; readonly channel: string }
  /** Opens one more subscriber. */
  | { readonly kind: 'subscribe' }
  /** Publishes so many a second, `atOnce` in each request. */
  | { readonly kind: 'publish'; readonly perSecond: number; readonly atOnce: number; readonly ms: number };

/** What arrived of a round. */
export interface Arrivals {
  readonly published: number;
  /** How long it took to publish them. */
  readonly ms: number;
  /** Of each subscriber: how many publications, and microseconds from publishing to receiving. */
  readonly subscribers: readonly { readonly count: number; readonly p50: number; readonly p99: number }[];
}
