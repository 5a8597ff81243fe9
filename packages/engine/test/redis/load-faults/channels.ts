/** What the publisher publishes into and every follower is subscribed to. */
export const CHANNELS: readonly string[] = Array.from({ length: 50 }, (_, n) => `load-${n}`);

/** What every publication carries: its number in its channel, from 0 without gaps, and ballast of random length. */
export interface Numbered {
  readonly n: number;
  readonly pad: string;
}
