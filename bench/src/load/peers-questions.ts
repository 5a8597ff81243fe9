import type { DialectName } from './dialects/dialect.ts';

/** What the orchestrating process may ask the load of a peer. */
export type PeerQuestion =
  | {
      readonly kind: 'open';
      readonly dialect: DialectName;
      readonly credential: string;
      readonly port: number;
      readonly channel: string;
      readonly count: number;
    }
  /** Publishes `atOnce` in one write again and again, each when the one before has reached every subscriber. */
  | { readonly kind: 'publish'; readonly atOnce: number; readonly ms: number }
  | { readonly kind: 'reset' };

export interface Published {
  readonly deliveries: number;
}
