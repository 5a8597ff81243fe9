import { MsgError, parseName } from '@msg/core';
import { formatDuration } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import { chain, isPromise, type MaybePromise } from '@msg/foundation/promises';
import { DeclaredChannels } from './declared.ts';
import { type LifecycleEvent, LifecycleFeed, type LifecycleSubscription } from './lifecycle-feed.ts';
import type { ChannelRecord, ChannelState } from './record.ts';
import type { ChannelRegistry, OpenResult } from './registry/contract.ts';

/** Default TTL of a public channel; there is no maximum. */
const DEFAULT_PUBLIC_TTL_MS = 30 * 60_000;
/** Default TTL of a private channel. */
const DEFAULT_PRIVATE_TTL_MS = 15 * 60_000;
export const MAX_PRIVATE_TTL_MS = 3_600_000;

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

function unknown(name: string): MsgError {
  return new MsgError('MSG_CHANNEL_NOT_FOUND', `channel ${name} is not known`);
}

/** The record from the registry. @throws MsgError MSG_CHANNEL_INVALID or MSG_CHANNEL_NOT_FOUND without one */
function present(name: string, record: ChannelRecord | undefined): ChannelRecord {
  if (record === undefined) parseName(name);
  if (record === undefined || record.state === 'deleted') throw unknown(name);
  return record;
}

/** As {@link present}, and the channel must be open. */
function open(name: string, record: ChannelRecord | undefined): ChannelRecord {
  const current = present(name, record);
  if (current.state === 'closed') throw new MsgError('MSG_CHANNEL_CLOSED', `channel ${name} is closed`);
  return current;
}

function stateOf(record: ChannelRecord | undefined): ChannelState | undefined {
  return record?.state;
}

function checkedTtl(ttlMs: number, fallback: number): number {
  if (Number.isNaN(ttlMs) || ttlMs < 0) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'the TTL must not be negative');
  }
  return ttlMs === 0 ? fallback : ttlMs;
}

/**
 * The states of channels: every row of the transition table of the specification ("Channel") and of messaging details
 * 5.1. Methods throw MSG_CHANNEL_INVALID for names that violate the grammar.
 */
export class ChannelManager {
  readonly #registry: ChannelRegistry;
  readonly #clock: Clock;
  /** When the subscribers of a channel last counted as its activity, monotonic time. */
  #keptAt: ReadonlyMap<string, number> = new Map();
  readonly #declared: DeclaredChannels;
  readonly #subscribedChannels: (() => Iterable<string>) | undefined;
  readonly #onDeleted: (name: string) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #feed = new LifecycleFeed();

  constructor(options: ChannelManagerOptions) {
    this.#registry = options.registry;
    this.#clock = options.clock;
    this.#declared = options.declared ?? new DeclaredChannels();
    this.#subscribedChannels = options.subscribedChannels;
    this.#onDeleted = options.onDeleted;
    this.#onError = options.onError ?? (() => {});
  }

  #emit(kind: LifecycleEvent['kind'], name: string): LifecycleEvent {
    const event: LifecycleEvent = { kind, name, at: this.#clock.now() };
    this.#feed.emit(event);
    return event;
  }

  /** Emits another node's transition, which the registry already has, to this node's consumers. */
  heard(event: LifecycleEvent): void {
    this.#feed.emit(event);
  }

  /**
   * Opens, reopens or refreshes a public channel. `ttlMs` 0 means its declared TTL, else 30 minutes.
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
    const { record, change } = await this.#openInRegistry(name, ttlMs);
    if (change === 'refused') throw unknown(name);
    return record;
  }

  async #openInRegistry(name: string, ttlMs: number): Promise<OpenResult> {
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
   * Checks the request for a private channel before it is created.
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
   * Creates the record of a private channel, then calls `complete`, which issues its tokens; when that fails, the record
   * is removed and no event is emitted.
   * @throws MsgError MSG_CHANNEL_EXISTS, and what {@link checkPrivate} throws.
   */
  async createPrivate<T>(name: string, ttlMs: number, complete: (record: ChannelRecord) => T): Promise<T> {
    const ttl = this.checkPrivate(name, ttlMs);
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
    const ttl = this.checkPrivate(name, ttlMs);
    const record = await this.#registry.touch(name, ttlMs === 0 ? undefined : ttl);
    if (record === undefined || record.state === 'open') return record;
    throw new MsgError('MSG_CHANNEL_EXISTS', `channel ${name} already exists`);
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
  requireOpen(name: string): MaybePromise<ChannelRecord> {
    return chain(this.#registry.get(name), record => open(name, record));
  }

  /**
   * As {@link requireOpen}, but opens a declared channel.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED
   */
  openForUse(name: string): MaybePromise<ChannelRecord> {
    const record = this.#registry.get(name);
    return isPromise(record)
      ? record.then(later => this.#openedForUse(name, later))
      : this.#openedForUse(name, record);
  }

  /** As {@link requireOpen}, but accepts a declared channel, which the reader's subscribe opens. */
  async requireReadable(name: string): Promise<void> {
    const record = await this.#registry.get(name);
    if (!this.opensOnUse(name, record?.state)) open(name, record);
  }

  /**
   * Checks that the channel is open, closed, or declared and able to open.
   * @throws MsgError MSG_CHANNEL_INVALID, MSG_CHANNEL_NOT_FOUND
   */
  async requireKnown(name: string): Promise<void> {
    const record = await this.#registry.get(name);
    if (!this.opensOnUse(name, record?.state)) present(name, record);
  }

  #openedForUse(name: string, record: ChannelRecord | undefined): MaybePromise<ChannelRecord> {
    return this.opensOnUse(name, record?.state) ? this.openPublic(name) : open(name, record);
  }

  /** Whether a use of the channel opens it: it is declared, not open, and was not deleted. */
  opensOnUse(name: string, state: ChannelState | undefined): boolean {
    return this.#declared.opensOnUse(name, state);
  }

  /** The state of a channel; `undefined` for a name without record. Only an open one takes subscribers. */
  stateOf(name: string): MaybePromise<ChannelState | undefined> {
    return chain(this.#registry.get(name), stateOf);
  }

  /** As {@link stateOf}, from this node's latest record, without waiting. */
  peekState(name: string): ChannelState | undefined {
    return this.#registry.peek(name)?.state;
  }

  /** Resets the inactivity of an open channel. @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_CHANNEL_CLOSED */
  async touch(name: string): Promise<void> {
    open(name, await this.noteActivity(name));
  }

  /** As {@link touch}, but does not fail without an open channel. Returns the current record. */
  noteActivity(name: string): MaybePromise<ChannelRecord | undefined> {
    return this.#registry.touch(name);
  }

  /**
   * Deletes a channel for good and ends its subscriptions; resolves when they have ended. A second deletion succeeds
   * without an event. @throws MsgError MSG_CHANNEL_NOT_FOUND for a name without record
   */
  async delete(name: string): Promise<void> {
    parseName(name);
    const result = await this.#registry.delete(name);
    if (result === undefined) throw unknown(name);
    if (!result.changed) return;
    this.#emit('deleted', name);
    await this.#onDeleted(name);
  }

  /** Closes idle public channels and removes idle private ones. Returns the number of changed channels. */
  async sweep(): Promise<number> {
    if (this.#subscribedChannels !== undefined) await this.#keepOpen(this.#subscribedChannels());
    const changed = await this.#registry.sweep();
    for (const { name, state } of changed) this.#emit(state === 'closed' ? 'closed' : 'deleted', name);
    // A failure at the end of one channel must not keep the others alive.
    const gone = changed.filter(record => record.state === 'deleted');
    const ends = await Promise.allSettled(gone.map(record => this.#onDeleted(record.name)));
    const failed = ends.find(end => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return changed.length;
  }

  /**
   * Live subscribers count as activity. A channel is touched at half of its TTL: another node may sweep before this
   * node's next sweep.
   */
  async #keepOpen(names: Iterable<string>): Promise<void> {
    const now = this.#clock.monotonic();
    const keptAt = new Map<string, number>();
    for (const name of names) {
      const last = this.#keptAt.get(name) ?? Number.NEGATIVE_INFINITY;
      const ttlMs = this.#registry.peek(name)?.ttlMs ?? 0;
      const isDue = now - last >= ttlMs / 2;
      if (isDue) await this.noteActivity(name);
      keptAt.set(name, isDue ? now : last);
    }
    this.#keptAt = keptAt;
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
