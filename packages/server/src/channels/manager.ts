import { formatDuration, MsgError, parseName } from '@msg/core';
import type { Awaitable, Clock } from '@msg/engine';
import { type LifecycleEvent, LifecycleFeed, type LifecycleSubscription } from './lifecycle-feed.ts';
import type { ChannelRecord } from './record.ts';
import type { ChannelRegistry } from './registry/contract.ts';

/** TTL of a public channel that is opened without one; there is no maximum. */
export const DEFAULT_PUBLIC_TTL_MS = 30 * 60_000;
/** TTL of a private channel that is created without one. */
export const DEFAULT_PRIVATE_TTL_MS = 15 * 60_000;
export const MAX_PRIVATE_TTL_MS = 3_600_000;

export interface ChannelManagerOptions {
  readonly registry: ChannelRegistry;
  readonly clock: Clock;
  /** Ends every subscription of a channel that is gone, with its stream. Awaited, never lossy. */
  readonly onDeleted: (name: string) => Promise<void>;
  /** What failed without anybody waiting for it; default: ignored. */
  readonly onError?: (error: unknown) => void;
}

function unknown(name: string): MsgError {
  return new MsgError('MSG_CHANNEL_NOT_FOUND', `channel ${name} is not known`);
}

/** What the registry found, unless that is nothing. Names that have a record are valid. */
function present(name: string, record: ChannelRecord | undefined): ChannelRecord {
  if (record === undefined) parseName(name);
  if (record === undefined || record.state === 'deleted') throw unknown(name);
  return record;
}

/** As {@link present}, and open. */
function open(name: string, record: ChannelRecord | undefined): ChannelRecord {
  const known = present(name, record);
  if (known.state === 'closed') throw new MsgError('MSG_CHANNEL_CLOSED', `channel ${name} is closed`);
  return known;
}

function checkedTtl(ttlMs: number, fallback: number): number {
  if (Number.isNaN(ttlMs) || ttlMs < 0) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'the TTL must not be negative');
  }
  return ttlMs === 0 ? fallback : ttlMs;
}

/**
 * The states of channels: every row of the transition table of the specification ("Channel") and of messaging
 * details 5.1. Methods take names as given and throw MSG_CHANNEL_INVALID for those that violate the grammar.
 */
export class ChannelManager {
  readonly #registry: ChannelRegistry;
  readonly #clock: Clock;
  readonly #onDeleted: (name: string) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #feed = new LifecycleFeed();

  constructor(options: ChannelManagerOptions) {
    this.#registry = options.registry;
    this.#clock = options.clock;
    this.#onDeleted = options.onDeleted;
    this.#onError = options.onError ?? (() => {});
  }

  #emit(kind: LifecycleEvent['kind'], name: string): LifecycleEvent {
    const event: LifecycleEvent = { kind, name, at: this.#clock.now() };
    this.#feed.emit(event);
    return event;
  }

  /** Another node's transition: it is in the registry already, followers of this node learn of it here. */
  heard(event: LifecycleEvent): void {
    this.#feed.emit(event);
  }

  /**
   * Opens, reopens or refreshes a public channel. `ttlMs` 0 means 30 minutes.
   * @throws MsgError MSG_CHANNEL_INVALID for a private name, MSG_INVALID_ARGUMENT for a negative TTL,
   * MSG_CHANNEL_NOT_FOUND for a deleted name.
   */
  async openPublic(name: string, ttlMs = 0): Promise<ChannelRecord> {
    if (parseName(name).visibility !== 'public') {
      throw new MsgError(
        'MSG_CHANNEL_INVALID',
        `channel ${name} is private, only public channels are opened`,
      );
    }
    const ttl = checkedTtl(ttlMs, DEFAULT_PUBLIC_TTL_MS);
    const { record, change } = await this.#registry.openPublic(name, ttl, this.#clock.now());
    if (change === 'refused') throw unknown(name);
    if (change !== 'refreshed') this.#emit('opened', name);
    return record;
  }

  /**
   * Checks what a private channel is asked for, before anything is created.
   * @returns the TTL to use, milliseconds.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_INVALID_ARGUMENT, MSG_CHANNEL_TTL_EXCEEDS_MAX, in this order.
   */
  checkPrivate(name: string, ttlMs = 0): number {
    if (parseName(name).visibility !== 'private') {
      throw new MsgError(
        'MSG_CHANNEL_INVALID',
        `channel ${name} is public, only private channels are created`,
      );
    }
    const ttl = checkedTtl(ttlMs, DEFAULT_PRIVATE_TTL_MS);
    if (ttl > MAX_PRIVATE_TTL_MS) {
      const limit = formatDuration(MAX_PRIVATE_TTL_MS);
      throw new MsgError('MSG_CHANNEL_TTL_EXCEEDS_MAX', `the TTL of a private channel is at most ${limit}`);
    }
    return ttl;
  }

  /**
   * Creates the record of a private channel, then lets `complete` (issuing its tokens) finish the creation; when
   * that fails the record is removed without trace and no event is emitted.
   * @throws MsgError MSG_CHANNEL_EXISTS, and what {@link checkPrivate} throws.
   */
  async createPrivate<T>(name: string, ttlMs: number, complete: (record: ChannelRecord) => T): Promise<T> {
    const ttl = this.checkPrivate(name, ttlMs);
    const record = await this.#registry.createPrivate(name, ttl, this.#clock.now());
    if (record === undefined) throw new MsgError('MSG_CHANNEL_EXISTS', `channel ${name} already exists`);
    let result: T;
    try {
      result = complete(record);
    } catch (error) {
      await this.#registry.forget(name);
      throw error;
    }
    // The channel stands and its tokens are made: that other nodes cannot be told takes nothing of that back.
    await this.#registry.announce(this.#emit('opened', name)).catch(this.#onError);
    return result;
  }

  /** The record of an open or closed channel. @throws MsgError MSG_CHANNEL_NOT_FOUND */
  async get(name: string): Promise<ChannelRecord> {
    return present(name, await this.#registry.get(name));
  }

  /** Open and closed channels, sorted by name. */
  async list(): Promise<readonly ChannelRecord[]> {
    const records = [...(await this.#registry.list())];
    return records.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** The record of an open channel. @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED */
  requireOpen(name: string): Awaitable<ChannelRecord> {
    const found = this.#registry.get(name);
    return found instanceof Promise ? found.then(record => open(name, record)) : open(name, found);
  }

  /** Whether the channel takes subscribers and publications. */
  async isOpen(name: string): Promise<boolean> {
    return (await this.#registry.get(name))?.state === 'open';
  }

  /** As {@link isOpen}, from what this node knows without waiting. */
  isOpenNow(name: string): boolean {
    return this.#registry.peek(name)?.state === 'open';
  }

  /** Resets the inactivity of an open channel. @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED */
  async touch(name: string): Promise<void> {
    open(name, await this.noteActivity(name));
  }

  /** As {@link touch}, also where there is no open channel any more. Answers the record as it stands. */
  noteActivity(name: string): Awaitable<ChannelRecord | undefined> {
    return this.#registry.touch(name, this.#clock.now());
  }

  /**
   * Deletes a channel for good and ends its subscriptions; answers when they are ended. Deleting once more succeeds
   * without event. @throws MsgError MSG_CHANNEL_NOT_FOUND for a name that has no record.
   */
  async delete(name: string): Promise<void> {
    parseName(name);
    const result = await this.#registry.delete(name);
    if (result === undefined) throw unknown(name);
    if (!result.changed) return;
    this.#emit('deleted', name);
    await this.#onDeleted(name);
  }

  /** Closes idle public channels and removes idle private ones. Answers how many were changed. */
  async sweep(): Promise<number> {
    const changed = await this.#registry.sweep(this.#clock.now());
    for (const { name, state } of changed) this.#emit(state === 'closed' ? 'closed' : 'deleted', name);
    // One channel whose end fails must not keep the others alive.
    const gone = changed.filter(record => record.state === 'deleted');
    const ends = await Promise.allSettled(gone.map(record => this.#onDeleted(record.name)));
    const failed = ends.find(end => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return changed.length;
  }

  /** Follows lifecycle events with a buffer of that many events. */
  events(buffer: number): LifecycleSubscription {
    return this.#feed.subscribe(buffer);
  }

  /** Ends every event subscription. */
  close(): void {
    this.#feed.close();
  }
}
