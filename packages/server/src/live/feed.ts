import { MsgError } from '@msg/core';
import type { Principal } from '../auth/access/principal.ts';
import type { Holder } from './holder.ts';
import type { Tail } from './tail.ts';

/** What a feed tells without being asked again; `tail` comes with StartTail. */
export const TOPICS = ['stats', 'hints', 'lifecycle', 'dlq', 'jobs', 'audit', 'recording'] as const;
export type Topic = (typeof TOPICS)[number];

/** Tells what a topic has to say to a feed at this moment; `undefined`: nothing. */
export type TopicSources = Readonly<
  Record<Exclude<Topic, 'lifecycle'>, (feed: Feed) => Promise<unknown> | unknown>
>;

/** Names of channels of one batch of `lifecycle`; further events are a number. */
const MAX_NAMES = 200;

const MAX_FEEDS_OF_OWNER = 5;

/** @throws MsgError MSG_INVALID_ARGUMENT when a caller has as many feeds as it may have */
export function requireFewFeeds(count: number): void {
  if (count < MAX_FEEDS_OF_OWNER) return;
  throw new MsgError(
    'MSG_INVALID_ARGUMENT',
    `this credential has ${MAX_FEEDS_OF_OWNER} open feeds: close one, or wait until one ends`,
  );
}

/** An event of a channel, as a feed tells it. */
interface NamedEvent {
  readonly name: string;
  readonly kind: string;
}

/** The private channel of one page or command, and what is told in it. */
export class Feed {
  readonly id: string;
  readonly channel: string;
  readonly principal: Principal;
  readonly holder: Holder | undefined;
  readonly topics: ReadonlySet<Topic>;
  /** Tails by id, with what ends their taps. */
  readonly tails = new Map<string, { readonly tail: Tail; untap: () => void }>();
  /** Unix milliseconds. */
  expiresAt: number;
  /** It has a subscriber: without one nothing is computed. */
  listening = false;
  /** The last text of each topic. */
  readonly #last = new Map<Topic, string>();
  #events: NamedEvent[] = [];
  #moreEvents = 0;

  constructor(
    id: string,
    channel: string,
    principal: Principal,
    holder: Holder | undefined,
    topics: ReadonlySet<Topic>,
    expiresAt: number,
  ) {
    this.id = id;
    this.channel = channel;
    this.principal = principal;
    this.holder = holder;
    this.topics = topics;
    this.expiresAt = expiresAt;
  }

  /** Whether a topic says something else than the last time. */
  isNews(topic: Topic, data: unknown): boolean {
    const text = JSON.stringify(data);
    if (this.#last.get(topic) === text) return false;
    this.#last.set(topic, text);
    return true;
  }

  /** A new subscriber has heard nothing. */
  forget(): void {
    this.#last.clear();
  }

  noteEvent(event: NamedEvent): void {
    if (this.#events.length < MAX_NAMES) this.#events.push(event);
    else this.#moreEvents++;
  }

  /** Events since the last time; `undefined` without one. */
  takeEvents(): { readonly events: readonly NamedEvent[]; readonly more: number } | undefined {
    if (this.#events.length === 0) return undefined;
    const taken = { events: this.#events, more: this.#moreEvents };
    this.#events = [];
    this.#moreEvents = 0;
    return taken;
  }
}
