import type { Clock } from '@msg/foundation/clock';
import type { MaybePromise } from '@msg/foundation/promises';
import { type LuaScript, lua } from '@msg/redis';
import type { SharedStore } from '../../../stores/redis/shared-store.ts';
import type { LifecycleEvent } from '../../lifecycle-feed.ts';
import type { ChannelRecord } from '../../record.ts';
import type { ChannelRegistry, CloseResult, DeleteResult, OpenResult } from '../contract.ts';
import { eventText } from './event-text.ts';
import { milliseconds, nanoseconds, readRecord, recordsOf, recordText, seconds } from './stored-record.ts';
import { WorkingChannels } from './working-channels.ts';

const OPEN_PUBLIC = lua('./open-public.lua', import.meta.url);
const TOUCH = lua('./touch.lua', import.meta.url);
const NOTE_ACTIVITY = lua('./note-activity.lua', import.meta.url);
const CLOSE = lua('./close.lua', import.meta.url);
const DELETE = lua('./delete.lua', import.meta.url);
const SWEEP = lua('./sweep.lua', import.meta.url);

/** Records per step of a sweep, during which the store serves no other client. */
const SWEEP_BATCH = 250;
/** Records per step of a listing. */
const LIST_BATCH = 1000;

export interface RedisChannelRegistryOptions {
  readonly store: SharedStore;
  /** Sender of this node's events. */
  readonly nodeId: string;
  readonly clock: Clock;
  /** Whether the events of other nodes arrive; absent: they do not, and every use asks the store. */
  readonly isListening?: () => boolean;
  /** Called for failures of background work; default: ignored. */
  readonly onError?: (error: unknown) => void;
}

/**
 * The registry that all nodes share: one hash with a JSON record per channel. Every transition is one script that changes
 * the record and publishes its event, so both happen or neither, even when a node dies. Records carry the time of the
 * node that wrote them, and how far the store's clock was ahead of it: a sweep uses only the store's clock, so a wrong
 * clock of one node does not close the channels of others. Source: messaging details 5.2 and section 18.
 */
export class RedisChannelRegistry implements ChannelRegistry {
  readonly #store: SharedStore;
  readonly #nodeId: string;
  readonly #clock: Clock;
  readonly #records: string;
  readonly #events: string;
  readonly #working: WorkingChannels;

  constructor(options: RedisChannelRegistryOptions) {
    const { store, nodeId, clock, isListening = () => false, onError = () => {} } = options;
    this.#store = store;
    this.#nodeId = nodeId;
    this.#clock = clock;
    this.#records = store.key('channels');
    this.#events = store.key('events');
    this.#working = new WorkingChannels({
      clock,
      isListening,
      onError,
      store: {
        read: async names => (await store.call('HMGET', this.#records, ...names)) as (string | null)[], // one per field
        note: async notes => {
          const activity = notes.flatMap(([name, at]) => [name, nanoseconds(at)]);
          const args = [this.#lead(clock.now()), ...activity];
          return (await store.run(NOTE_ACTIVITY, [this.#records], args)) as (string | null)[]; // as the script says
        },
      },
    });
  }

  async openPublic(name: string, ttlMs: number): Promise<OpenResult> {
    const now = this.#clock.now();
    const event = this.#eventText({ kind: 'opened', name, at: now });
    const args = [name, seconds(ttlMs), nanoseconds(now), this.#lead(now), this.#events, event];
    const [change, text] = await this.#working.write(
      name,
      async () =>
        (await this.#store.run(OPEN_PUBLIC, [this.#records], args)) as [OpenResult['change'], string], // as the script says
      ([, stored]) => stored,
      true,
    );
    return { record: readRecord(name, text), change };
  }

  async createPrivate(name: string, ttlMs: number): Promise<ChannelRecord | undefined> {
    const now = this.#clock.now();
    const record: ChannelRecord = {
      name,
      visibility: 'private',
      state: 'open',
      ttlMs,
      createdAt: now,
      lastActive: now,
    };
    const text = recordText(record, this.#lead(now));
    const created = await this.#working.write(
      name,
      () => this.#store.call('HSETNX', this.#records, name, text),
      answer => (answer === 1 ? text : undefined),
      true,
    );
    return created === 1 ? record : undefined;
  }

  get(name: string): Promise<ChannelRecord | undefined> {
    return this.#working.read(name, false);
  }

  current(name: string): MaybePromise<ChannelRecord | undefined> {
    return this.#working.current(name);
  }

  async getAll(names: readonly string[]): Promise<readonly (ChannelRecord | undefined)[]> {
    return names.length === 0 ? [] : this.#working.readAll(names, false);
  }

  peek(name: string): ChannelRecord | undefined {
    return this.#working.peek(name);
  }

  async list(): Promise<readonly ChannelRecord[]> {
    const records: ChannelRecord[] = [];
    for await (const slice of this.slices(LIST_BATCH)) for (const record of slice) records.push(record);
    return records;
  }

  async *slices(most: number): AsyncIterable<readonly ChannelRecord[]> {
    this.#working.sendActivity();
    let cursor = '0';
    // While the hash grows or shrinks, a scan meets some entries again.
    const seen = new Set<string>();
    do {
      const answer = await this.#store.call('HSCAN', this.#records, cursor, 'COUNT', most);
      const [next, entries] = answer as [string, string[]]; // field, value, field, value …
      // A small hash comes whole, whatever was asked for.
      for (let start = 0; start < entries.length; start += 2 * most)
        yield recordsOf(entries.slice(start, start + 2 * most)).filter(
          ({ name }) => !seen.has(name) && seen.add(name),
        );
      cursor = next;
    } while (cursor !== '0');
  }

  async touch(name: string, ttlMs?: number): Promise<ChannelRecord | undefined> {
    const now = this.#clock.now();
    const ttl = ttlMs === undefined ? '' : seconds(ttlMs);
    const args = [name, nanoseconds(now), this.#lead(now), ttl];
    const text = await this.#working.write(
      name,
      async () => (await this.#store.run(TOUCH, [this.#records], args)) as string | null, // as the script says
      stored => stored ?? undefined,
    );
    if (text !== null) return readRecord(name, text);
    this.#working.removed(name);
    return undefined;
  }

  noteActivity(name: string): void {
    this.#working.noteActivity(name);
  }

  close(name: string): Promise<CloseResult | undefined> {
    return this.#end(CLOSE, 'closed', name);
  }

  delete(name: string): Promise<DeleteResult | undefined> {
    return this.#end(DELETE, 'deleted', name);
  }

  async #end(
    script: LuaScript,
    kind: 'closed' | 'deleted',
    name: string,
  ): Promise<CloseResult | DeleteResult | undefined> {
    const event = this.#eventText({ kind, name, at: this.#clock.now() });
    const answer = await this.#working.write(
      name,
      async () =>
        (await this.#store.run(script, [this.#records], [name, this.#events, event])) as
          | [number, string]
          | null, // as the scripts say
      stored => stored?.[1],
    );
    if (answer === null) return undefined;
    const [changed, text] = answer;
    return { record: readRecord(name, text), changed: changed === 1 };
  }

  async forget(name: string): Promise<void> {
    await this.#store.call('HDEL', this.#records, name);
    this.#working.removed(name);
  }

  async announce(event: LifecycleEvent): Promise<void> {
    await this.#store.call('PUBLISH', this.#events, this.#eventText(event));
  }

  async sweep(): Promise<readonly ChannelRecord[]> {
    // A channel that was active here is not closed for a note that waits.
    await this.#working.writeActivity();
    const changed: ChannelRecord[] = [];
    let cursor = '0';
    do {
      const times = [nanoseconds(this.#clock.now()), Math.floor(this.#store.now())];
      const args = [...times, cursor, SWEEP_BATCH, this.#events, this.#nodeId];
      const [next, ...texts] = (await this.#store.run(SWEEP, [this.#records], args)) as [string, ...string[]];
      for (const text of texts) {
        const { name } = JSON.parse(text) as { readonly name: string }; // written by the script
        const record = readRecord(name, text);
        if (record.state === 'deleted') this.#working.removed(name);
        else this.#working.changed(name, record.state);
        changed.push(record);
      }
      cursor = next;
    } while (cursor !== '0');
    return changed;
  }

  /** Another node changed a channel. */
  onLifecycleEvent({ kind, name }: LifecycleEvent): void {
    this.#working.changed(name, kind === 'opened' ? 'open' : kind);
  }

  /** Events of other nodes may be lost. */
  onReconnected(): void {
    this.#working.doubt();
  }

  /** Writes the activity that waits, and ends the work in the background. */
  stop(): Promise<void> {
    return this.#working.stop();
  }

  /** How far the store's clock is ahead of this node's, in the form of records. */
  #lead(now: number): string {
    return milliseconds(this.#store.now() - now);
  }

  #eventText(event: LifecycleEvent): string {
    return eventText(this.#nodeId, event);
  }
}
