import { MsgError } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import { Payload, type RealtimeNode, type Total, unsubscribe } from '@msg/engine';
import type { Clock, Random, TimerHandle } from '@msg/foundation/clock';
import { visibleChannels } from '../auth/access/bearer-rights.ts';
import type { Principal } from '../auth/access/principal.ts';
import type { LifecycleEvent } from '../channels/lifecycle-feed.ts';
import type { ChannelManager } from '../channels/manager.ts';
import { FEED_PREFIX } from '../channels/reserved.ts';
import type { ChannelCounts } from '../connections/channel-counts.ts';
import { Feed, requireFewFeeds, type Topic, type TopicSources } from './feed.ts';
import { FeedTails, type FeedTailsOptions, type TailAnswer } from './feed-tails.ts';
import { type HolderCheck, holderOf, ownerOf } from './holder.ts';
import { privateId } from './private-id.ts';
import type { TailRequest } from './tail.ts';

const MAX_FEEDS = 200;
/** How long the token of a feed lasts. */
export const TOKEN_MS = 120_000;
/** A feed whose token is over ends so much later. */
const GRACE_MS = 60_000;
/** A channel that its feed does not keep open any more is swept after this time. */
const CHANNEL_TTL_MS = 5 * 60_000;
const TICK_MS = 2000;
const EVENTS_MS = 500;
const NO_STREAM = { size: 0, ttlMs: 0 };

export interface FeedsOptions extends Omit<FeedTailsOptions, 'feeds' | 'send'> {
  readonly node: () => Pick<
    RealtimeNode,
    'connections' | 'history' | 'publish' | 'operational' | 'unsubscribeAll'
  >;
  readonly channels: ChannelManager;
  readonly counts: Pick<ChannelCounts, 'of'>;
  readonly holders: HolderCheck;
  readonly sources: TopicSources;
  /** Feeds of this node. */
  readonly total: Total;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly onError: (error: unknown) => void;
}

/** The feeds of this node, and what is told in them. Source: console, section 7.8. */
export class Feeds {
  readonly #options: FeedsOptions;
  readonly #feeds = new Map<string, Feed>();
  readonly #tails: FeedTails;
  #ticking: TimerHandle | undefined;
  #gathering: TimerHandle | undefined;

  constructor(options: FeedsOptions) {
    this.#options = options;
    this.#tails = new FeedTails({
      ...options,
      feeds: () => this.#feeds.values(),
      send: (feed, batch) => this.#send(feed, 'tail', batch),
    });
    options.channels.follow(event => this.#onEvent(event));
  }

  get count(): number {
    return this.#feeds.size;
  }

  get tailCount(): number {
    let count = 0;
    for (const { tails } of this.#feeds.values()) count += tails.size;
    return count;
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT while the node, or the caller, has enough feeds */
  async open(principal: Principal, topics: ReadonlySet<Topic>): Promise<Feed> {
    const { random, clock, channels, total } = this.#options;
    const holder = holderOf(principal);
    requireFewFeeds(this.countOf(ownerOf(holder)));
    if (!total.take(1, MAX_FEEDS))
      throw new MsgError('MSG_INVALID_ARGUMENT', `the node has ${MAX_FEEDS} feeds: try again later`);
    const id = privateId(random);
    const feed = new Feed(id, FEED_PREFIX + id, principal, holder, topics, clock.now() + TOKEN_MS + GRACE_MS);
    this.#feeds.set(id, feed);
    try {
      await channels.createPrivate(feed.channel, CHANNEL_TTL_MS, () => {});
    } catch (error) {
      this.#forget(id);
      throw error;
    }
    this.#tickLater();
    return feed;
  }

  /** How many feeds this node has for an owner. */
  countOf(owner: string): number {
    let count = 0;
    for (const { holder } of this.#feeds.values()) if (ownerOf(holder) === owner) count += 1;
    return count;
  }

  /** Prolongs a feed of the owner; its channel, `undefined` when it is not here. */
  async renew(id: string, owner: string): Promise<string | undefined> {
    const feed = this.#of(id, owner);
    if (feed === undefined) return undefined;
    const { clock, channels } = this.#options;
    feed.expiresAt = clock.now() + TOKEN_MS + GRACE_MS;
    await channels.noteActivity(feed.channel);
    return feed.channel;
  }

  /** Ends a feed of the owner; false when it is not here. */
  async close(id: string, owner: string): Promise<boolean> {
    const feed = this.#of(id, owner);
    if (feed !== undefined) await this.#end(feed, 'closed');
    return feed !== undefined;
  }

  /** Ends the feeds of a session of the console. */
  async endOf(session: string): Promise<void> {
    const ofSession = [...this.#feeds.values()].filter(({ holder }) => holder?.session === session);
    await Promise.all(ofSession.map(feed => this.#end(feed, 'rights')));
  }

  /** Begins a tail in a feed of the owner; `undefined` when it is not here. */
  async startTail(id: string, owner: string, request: TailRequest): Promise<TailAnswer | undefined> {
    const current = this.#of(id, owner);
    if (current !== undefined) await this.#countSubscribers([current]);
    const feed = this.#of(id, owner); // it may have ended meanwhile
    if (feed === undefined) return undefined;
    return this.#tails.start(feed, request);
  }

  /** Ends a tail in a feed of the owner, with what it still has; false when it is not here. */
  stopTail(id: string, owner: string, tail: string): boolean {
    const feed = this.#of(id, owner);
    if (feed?.tails.has(tail) !== true) return false;
    this.#tails.end(feed, tail, 'stopped');
    return true;
  }

  /** Ends all. */
  async stop(): Promise<void> {
    const { clock } = this.#options;
    await Promise.all([...this.#feeds.values()].map(feed => this.#end(feed, 'stopped')));
    this.#tails.stop();
    for (const timer of [this.#ticking, this.#gathering]) if (timer !== undefined) clock.clearTimeout(timer);
  }

  #of(id: string, owner: string): Feed | undefined {
    const feed = this.#feeds.get(id);
    return feed !== undefined && ownerOf(feed.holder) === owner ? feed : undefined;
  }

  #send(feed: Feed, topic: string, data: unknown): void {
    const { clock, onError } = this.#options;
    const at = formatTimestamp(clock.now());
    const payload = Payload.ofJson(Buffer.from(JSON.stringify({ topic, at, data }, plainMaps)));
    const published = this.#options.node().publish(feed.channel, payload, { stream: NO_STREAM });
    void Promise.resolve(published).catch(onError);
  }

  // What is told at every tick, and which feeds end.

  #tickLater(): void {
    const { clock, onError } = this.#options;
    if (this.#ticking !== undefined || this.#feeds.size === 0) return;
    this.#ticking = clock.setTimeout(() => {
      void this.#tick()
        .catch(onError)
        .finally(() => {
          this.#ticking = undefined;
          this.#tickLater();
        });
    }, TICK_MS);
  }

  async #tick(): Promise<void> {
    await Promise.all([...this.#feeds.values()].map(feed => this.#endIfOver(feed)));
    if (this.#feeds.size === 0 || !this.#options.node().operational) return;
    await this.#countSubscribers([...this.#feeds.values()]);
    for (const feed of this.#feeds.values()) {
      if (!feed.listening) continue;
      for (const topic of feed.topics) await this.#sendTopic(feed, topic).catch(this.#options.onError);
      // A subscriber that was away learns where its tails are.
      this.#tails.sendAll(feed);
    }
  }

  /** Ends a feed that is not renewed, or whose caller's right has ended. */
  async #endIfOver(feed: Feed): Promise<void> {
    const { clock, holders } = this.#options;
    if (clock.now() >= feed.expiresAt) await this.#end(feed, 'expired');
    else if (await holders.hasEnded(feed.holder)) await this.#end(feed, 'rights');
  }

  /** Sends what a topic has to say, unless the feed has heard it. */
  async #sendTopic(feed: Feed, topic: Topic): Promise<void> {
    if (topic === 'lifecycle') return;
    const data = await this.#options.sources[topic](feed);
    // Numbers are told at every tick: a page draws them over time.
    if (data !== undefined && (topic === 'stats' || feed.isNews(topic, data))) this.#send(feed, topic, data);
  }

  async #countSubscribers(feeds: readonly Feed[]): Promise<void> {
    const { counts } = await this.#options.counts.of(feeds.map(({ channel }) => channel));
    for (const feed of feeds) {
      const listening = (counts.get(feed.channel) ?? 0) > 0;
      if (listening && !feed.listening) feed.forget();
      feed.listening = listening;
    }
  }

  #forget(id: string): boolean {
    const wasOpen = this.#feeds.delete(id);
    if (wasOpen) this.#options.total.give(1);
    return wasOpen;
  }

  async #end(feed: Feed, reason: string): Promise<void> {
    if (!this.#forget(feed.id)) return;
    for (const name of [...feed.tails.keys()]) this.#tails.end(feed, name, reason);
    const { channels, onError } = this.#options;
    // Its subscribers leave now; the next sweep removes the channel without a trace.
    await this.#options.node().unsubscribeAll(feed.channel, unsubscribe.serverUnsubscribe).catch(onError);
    await channels.reusePrivate(feed.channel, 1).catch(onError);
  }

  // Channels that open, close and end:

  #onEvent({ name, kind }: LifecycleEvent): void {
    if (this.#feeds.size === 0 || name.startsWith(FEED_PREFIX)) return;
    for (const feed of this.#feeds.values()) {
      if (kind !== 'opened')
        for (const [id, { tail }] of feed.tails)
          if (tail.request.name === name) this.#tails.end(feed, id, kind);
      if (!feed.topics.has('lifecycle') || !feed.listening) continue;
      if (visibleChannels(feed.principal, [{ name }]).length > 0) feed.noteEvent({ name, kind });
    }
    this.#gathering ??= this.#options.clock.setTimeout(() => {
      this.#gathering = undefined;
      for (const feed of this.#feeds.values()) {
        const events = feed.takeEvents();
        if (events !== undefined) this.#send(feed, 'lifecycle', events);
      }
    }, EVENTS_MS);
  }
}

/** Maps of texts as JSON objects. */
function plainMaps(_name: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}
