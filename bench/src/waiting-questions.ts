/** What the orchestrating process may ask the load process of the waiting bench. */
export type WaitingLoadQuestion =
  /** Opens so many connections; each subscribes to this channel again and again. */
  | {
      readonly kind: 'connect';
      readonly port: number;
      readonly connections: number;
      readonly channel: string;
    }
  /** Subscribes for so long. */
  | { readonly kind: 'run'; readonly ms: number }
  | { readonly kind: 'disconnect' };

/** What a run did. */
export interface WaitingRun {
  /** Subscribes that were refused with 102. */
  readonly refused: number;
  readonly lastReply: string;
}
