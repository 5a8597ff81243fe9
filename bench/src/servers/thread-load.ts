/** How a thread publishes. */
export interface ThreadLoad {
  /** Through the broker, or as a record that main answers at once: the bare ring. */
  readonly mode: 'publish' | 'ring';
  /** Records that are sent in one turn of the event loop. */
  readonly perTurn: number;
  /** How many such turns may wait for their answers. */
  readonly turnsUnderWay: number;
  /** Pause after the answers of a turn, milliseconds; 0: none. */
  readonly everyMs: number;
  readonly ms: number;
}

/** What the process with main is asked. */
export type MainQuestion =
  /** So many threads publish, so many others are interested in the channel of the first one. */
  | (ThreadLoad & { readonly kind: 'load'; readonly publishers: number; readonly interested: number })
  /** Main publishes so many a second to two threads; the second one stalls meanwhile, or does not (0). */
  | { readonly kind: 'stall'; readonly perSecond: number; readonly ms: number; readonly stallMs: number };

/** What a thread is told. */
export type ThreadQuestion =
  | (ThreadLoad & { readonly kind: 'load' })
  | { readonly kind: 'subscribe' }
  | { readonly kind: 'unsubscribe' }
  /** Does nothing else for so long. */
  | { readonly kind: 'stall'; readonly ms: number };

/** What one thread did. */
export interface ThreadAnswer {
  readonly published: number;
  /** Bells that it rang. */
  readonly bells: number;
  /** Of what it heard from subscribing to unsubscribing: microseconds from publishing. */
  readonly heard?: Heard;
}

/** Publications that a thread heard, and the time that they took. */
export interface Heard {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

/** A round in which a thread may have stalled. */
export interface StallSample {
  readonly published: number;
  readonly other: Heard;
  readonly stalled: Heard;
  /** The most memory of the process above that of the start, bytes. */
  readonly grownBytes: number;
}

/** What main used meanwhile. */
export interface MainSample {
  readonly published: number;
  readonly mainUs: number;
  readonly wallMs: number;
  /** Bells to main and from main. */
  readonly bellsUp: number;
  readonly bellsDown: number;
}

/** Kind of the record that main answers at once: free for users of a link. */
export const RING_KIND = 100;
/** The channel of a publishing thread. */
export const channelOfThread = (number: number): string => `public:bench.threads.c${number}`;

/** Counts the bells that this thread rings from now on. */
export function countBells(): () => number {
  const { notify } = Atomics;
  let bells = 0;
  // A bell that wakes nobody is not one.
  Atomics.notify = ((...args: Parameters<typeof notify>) => {
    const woken = notify(...args);
    if (woken > 0) bells++;
    return woken;
  }) as typeof notify;
  return () => {
    const rung = bells;
    bells = 0;
    return rung;
  };
}
