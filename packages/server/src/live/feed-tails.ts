import { formatTimestamp } from '@msg/core/internal';
import type { RealtimeNode, StreamPosition, Total } from '@msg/engine';
import type { Clock, Random, TimerHandle } from '@msg/foundation/clock';
import type { Feed } from './feed.ts';
import { privateId } from './private-id.ts';
import { Tail, type TailBatch, type TailRequest } from './tail.ts';

const MAX_TAILS = 50;
const MAX_TAILS_OF_FEED = 5;
const BATCH_MS = 250;

/** A tail that has begun, and the top of the stream at its begin. */
export interface StartedTail extends StreamPosition {
  readonly tail: string;
}

/** What the node of a feed answers; `refused` says why not. */
export type TailAnswer = StartedTail | { readonly refused: string };

export interface FeedTailsOptions {
  readonly node: () => Pick<RealtimeNode, 'connections' | 'history'>;
  /** Whether a channel keeps a history. */
  readonly keepsHistory: (channel: string) => boolean;
  /** Tails of all feeds of this node. */
  readonly tails: Total;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  /** The feeds of this node. */
  readonly feeds: () => Iterable<Feed>;
  readonly send: (feed: Feed, batch: object) => void;
}

/** The tails of the feeds of this node: begins and ends them, and sends their batches. */
export class FeedTails {
  readonly #options: FeedTailsOptions;
  #timer: TimerHandle | undefined;

  constructor(options: FeedTailsOptions) {
    this.#options = options;
  }

  async start(feed: Feed, request: TailRequest): Promise<TailAnswer> {
    if (feed.tails.size >= MAX_TAILS_OF_FEED)
      return { refused: `the feed has ${MAX_TAILS_OF_FEED} tails: stop one first` };
    const { clock, random, keepsHistory, tails } = this.#options;
    if (!tails.take(1, MAX_TAILS))
      return { refused: `the node has ${MAX_TAILS} tails: stop one, or try again later` };
    const node = this.#options.node();
    const tail = new Tail(request, clock, () => feed.listening);
    const name = privateId(random);
    const entry = { tail, untap: (): void => {} };
    feed.tails.set(name, entry);
    try {
      entry.untap = await node.connections.tap(request.name, tail);
      const { offset, epoch } = keepsHistory(request.name)
        ? await node.history(request.name, { limit: 0, peek: true })
        : { offset: 0, epoch: '' };
      tail.begin({ offset, epoch });
      this.#arm();
      return { tail: name, offset, epoch };
    } catch (error) {
      this.#forget(feed, name);
      throw error;
    } finally {
      // The feed, or the channel, has ended meanwhile.
      if (feed.tails.get(name) !== entry) entry.untap();
    }
  }

  /** Ends a tail, with what it still has. */
  end(feed: Feed, name: string, reason: string): void {
    const batches = feed.tails.get(name)?.tail.take(true) ?? [];
    this.#forget(feed, name);
    this.#send(feed, name, batches, reason);
  }

  /** Sends where every tail of a feed is, also when nothing has passed. */
  sendAll(feed: Feed): void {
    for (const [name, { tail }] of feed.tails) this.#send(feed, name, tail.take(true), '');
  }

  stop(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
  }

  #arm(): void {
    const { clock, feeds } = this.#options;
    this.#timer ??= clock.setTimeout(() => {
      this.#timer = undefined;
      let isNeeded = false;
      for (const feed of feeds()) {
        isNeeded ||= feed.tails.size > 0;
        if (!feed.listening) continue;
        for (const [name, { tail }] of feed.tails) this.#send(feed, name, tail.take(false), '');
      }
      if (isNeeded) this.#arm();
    }, BATCH_MS);
  }

  #send(feed: Feed, tail: string, batches: readonly TailBatch[], reason: string): void {
    for (const [index, batch] of batches.entries()) {
      const { items, epoch, fromOffset, toOffset, seen, skipped } = batch;
      this.#options.send(feed, {
        tail,
        items: items.map(({ time, ...item }) => ({ ...item, at: time === 0 ? '' : formatTimestamp(time) })),
        epoch,
        from_offset: fromOffset,
        to_offset: toOffset,
        seen,
        skipped,
        ended: index === batches.length - 1 ? reason : '',
      });
    }
  }

  #forget(feed: Feed, name: string): void {
    feed.tails.get(name)?.untap();
    if (feed.tails.delete(name)) this.#options.tails.give(1);
  }
}
