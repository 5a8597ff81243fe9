import { MsgError, parseName } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { chain, isPromise, type MaybePromise } from '@msg/foundation/promises';
import { openRecord, presentRecord, requireFree, requirePublic, unknownChannel } from './checked-record.ts';
import { DeclaredChannels } from './declared.ts';
import { type LifecycleEvent, LifecycleFeed, type LifecycleSubscription } from './lifecycle-feed.ts';
import { type ChannelRecord, type ChannelState, stateOf } from './record.ts';
import type { ChannelRegistry, OpenResult } from './registry/contract.ts';
import { currentRecord, noteActivity } from './registry/uses.ts';
import { SubscriberActivity } from './subscriber-activity.ts';
import { checkedTtl, checkPrivate, DEFAULT_PUBLIC_TTL_MS } from './ttl.ts';

export interface ChannelManagerOptions {
  readonly registry: ChannelRegistry;
  readonly clock: Clock;
  /** Channels that open by themselves; default none. */
  readonly declared?: DeclaredChannels;
  /** Channels with live subscribers on this node, which stay open; absent: subscribers do not keep channels open. */
  readonly subscribedChannels?: () => Iterable<string>;
  /** Ends every subscription of a deleted channel, and its stream. The deletion waits for it. */
  readonly onDeleted: (name: string) => Promise<void>;
  /** Called for failures of work that no caller waits for; default: ignored. */
  readonly onError?: (error: unknown) => void;
}

/**
 * The states of channels: every row of the transition table of the specification ("Channel") and of messaging details
 * 5.1. Methods throw MSG_CHANNEL_INVALID for names that violate the grammar.
 */
export class ChannelManager {
  readonly #registry: ChannelRegistry;
  readonly #clock: Clock;
  readonly #activity: SubscriberActivity;
  readonly #declared: DeclaredChannels;
  readonly #onDeleted: (name: string) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #feed = new LifecycleFeed();

  constructor(options: ChannelManagerOptions) {
    this.#registry = options.registry;
    this.#clock = options.clock;
    this.#activity = new SubscriberActivity(options.registry, options.clock, options.subscribedChannels);
    this.#declared = options.declared ?? new DeclaredChannels();
    this.#onDeleted = options.onDeleted;
    this.#onError = options.onError ?? (() => {});
  }

  #emit(kind: LifecycleEvent['kind'], name: string): LifecycleEvent {
    const event: LifecycleEvent = { kind, name, at: this.#clock.now() };
    this.#feed.emit(event);
    return event;
  }

  /** Emits another node's transition to this node's consumers. */
  onLifecycleEvent(event: LifecycleEvent): void {
    this.#feed.emit(event);
  }

  /**
   * Opens, reopens or refreshes a public channel. `ttlMs` 0 means its declared TTL, else 30 minutes.
   * @throws MsgError MSG_CHANNEL_INVALID for a private name, MSG_INVALID_ARGUMENT for a negative TTL,
   * MSG_CHANNEL_NOT_FOUND for a deleted name.
   */
  async openPublic(name: string, ttlMs = 0): Promise<ChannelRecord> {
    requirePublic(name, 'opened');
    const { record, change } = await this.#openInRegistry(name, ttlMs);
    if (change === 'refused') throw unknownChannel(name);
    return record;
  }

  async #openInRegistry(name: string, ttlMs: number): Promise<OpenResult> {
    requireFree(name, this.#declared);
    const ttl = checkedTtl(ttlMs, this.#declared.ttlOf(name) || DEFAULT_PUBLIC_TTL_MS);
    const result = await this.#registry.openPublic(name, ttl);
    if (result.change === 'created' || result.change === 'reopened') this.#emit('opened', name);
    return result;
  }

  /**
   * Opens the declared names. Returns those that stay closed because they were deleted.
   * @throws MsgError MSG_INTERNAL when the registry does not answer.
   */
  async openDeclared(): Promise<readonly string[]> {
    const refused: string[] = [];
    for (const name of this.#declared.names) {
      const { change } = await this.#openInRegistry(name, 0);
      if (change === 'refused') refused.push(name);
    }
    return refused;
  }

  /**
   * Creates the record of a private channel, then calls `complete`, which issues its tokens; when that fails, the record
   * is removed and no event is emitted.
   * @throws MsgError MSG_CHANNEL_EXISTS, and what {@link checkPrivate} throws.
   */
  async createPrivate<T>(name: string, ttlMs: number, complete: (record: ChannelRecord) => T): Promise<T> {
    const ttl = checkPrivate(name, ttlMs);
    requireFree(name, this.#declared);
    const record = await this.#registry.createPrivate(name, ttl);
    if (record === undefined) throw new MsgError('MSG_CHANNEL_EXISTS', `channel ${name} already exists`);
    let result: T;
    try {
      result = complete(record);
    } catch (error) {
      await this.#registry.forget(name);
      throw error;
    }
    // The channel exists and its tokens are issued: a failed announcement to other nodes does not undo that.
    await this.#registry.announce(this.#emit('opened', name)).catch(this.#onError);
    return result;
  }

  /**
   * Counts as activity of an open private channel, and replaces its TTL if `ttlMs` has one; `undefined` for a name
   * without record.
   * @throws MsgError MSG_CHANNEL_EXISTS for a deleted name, and what {@link checkPrivate} throws.
   */
  async reusePrivate(name: string, ttlMs = 0): Promise<ChannelRecord | undefined> {
    const ttl = checkPrivate(name, ttlMs);
    const record = await this.#registry.touch(name, ttlMs === 0 ? undefined : ttl);
    if (record === undefined || record.state === 'open') return record;
    throw new MsgError('MSG_CHANNEL_EXISTS', `channel ${name} already exists`);
  }

  /** The record of an open or closed channel. @throws MsgError MSG_CHANNEL_NOT_FOUND */
  async get(name: string): Promise<ChannelRecord> {
    return presentRecord(name, await this.#registry.get(name));
  }

  /** Open and closed channels, sorted by name. */
  async list(): Promise<readonly ChannelRecord[]> {
    const records = [...(await this.#registry.list())];
    return records.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** The record of an open channel. @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED */
  requireOpen(name: string): MaybePromise<ChannelRecord> {
    return chain(currentRecord(this.#registry, name), record => openRecord(name, record));
  }

  /**
   * As {@link requireOpen}, but opens a declared channel.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED
   */
  openForUse(name: string): MaybePromise<ChannelRecord> {
    const record = currentRecord(this.#registry, name);
    return isPromise(record)
      ? record.then(later => this.#openedForUse(name, later))
      : this.#openedForUse(name, record);
  }

  /** As {@link requireOpen}, but accepts a declared channel, which the reader's subscribe opens. */
  async requireReadable(name: string): Promise<void> {
    const record = await this.#registry.get(name);
    if (!this.opensOnUse(name, record?.state)) openRecord(name, record);
  }

  /** Accepts an open, a closed and a declared channel. @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND */
  async requireKnown(name: string): Promise<void> {
    const record = await this.#registry.get(name);
    if (!this.opensOnUse(name, record?.state)) presentRecord(name, record);
  }

  #openedForUse(name: string, record: ChannelRecord | undefined): MaybePromise<ChannelRecord> {
    return this.opensOnUse(name, record?.state) ? this.openPublic(name) : openRecord(name, record);
  }

  /** Whether a use of the channel opens it: it is declared, not open, and was not deleted. */
  opensOnUse(name: string, state: ChannelState | undefined): boolean {
    return this.#declared.opensOnUse(name, state);
  }

  /** The state of a channel; `undefined` for a name without record. Only an open one takes subscribers. */
  stateOf(name: string): MaybePromise<ChannelState | undefined> {
    return chain(currentRecord(this.#registry, name), stateOf);
  }

  /** As {@link stateOf}, from this node's latest record, without waiting. */
  peekState(name: string): ChannelState | undefined {
    return this.#registry.peek(name)?.state;
  }

  /** Resets the inactivity of an open channel. @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED */
  async touch(name: string): Promise<ChannelRecord> {
    return openRecord(name, await this.#registry.touch(name));
  }

  /**
   * Closes a public channel as a sweep does: its subscribers stay. A closed one stays closed.
   * @throws MsgError MSG_CHANNEL_INVALID for a private name, MSG_CHANNEL_NOT_FOUND
   */
  async closePublic(name: string): Promise<ChannelRecord> {
    requirePublic(name, 'closed');
    const result = await this.#registry.close(name);
    if (result?.changed === true) this.#emit('closed', name);
    return presentRecord(name, result?.record);
  }

  /** As {@link touch}, but does not fail without an open channel. On a shared store it is done in the background. */
  noteActivity(name: string): MaybePromise<unknown> {
    return noteActivity(this.#registry, name);
  }

  /**
   * Deletes a channel for good and ends its subscriptions; resolves when they have ended. A second deletion succeeds
   * without an event. @throws MsgError MSG_CHANNEL_NOT_FOUND for a name without record
   */
  async delete(name: string): Promise<void> {
    parseName(name);
    const result = await this.#registry.delete(name);
    if (result === undefined) throw unknownChannel(name);
    if (!result.changed) return;
    this.#emit('deleted', name);
    await this.#onDeleted(name);
  }

  /** Counts live subscribers of this node as activity. Another node, or main of this process, is about to sweep. */
  noteSubscribed(): Promise<void> {
    return this.#activity.note();
  }

  /** Closes idle public channels and removes idle private ones. Returns the number of changed channels. */
  async sweep(): Promise<number> {
    await this.noteSubscribed();
    const changed = await this.#registry.sweep();
    for (const { name, state } of changed) this.#emit(state === 'closed' ? 'closed' : 'deleted', name);
    // A failure at the end of one channel must not keep the others alive.
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

  /** Calls back at each event, within the transition. */
  follow(follower: (event: LifecycleEvent) => void): void {
    this.#feed.follow(follower);
  }

  /** Ends every event subscription. */
  close(): void {
    this.#feed.close();
  }
}
