import type { Clock } from '@msg/foundation/clock';
import { type LuaScript, lua } from '@msg/redis';
import type { SharedStore } from '../../../stores/redis/shared-store.ts';
import type { LifecycleEvent } from '../../lifecycle-feed.ts';
import type { ChannelRecord } from '../../record.ts';
import type { ChannelRegistry, CloseResult, DeleteResult, OpenResult } from '../contract.ts';
import { eventText } from './event-text.ts';
import { RecentRecords } from './recent-records.ts';
import { milliseconds, nanoseconds, readRecord, recordText, seconds } from './stored-record.ts';

const OPEN_PUBLIC = lua('./open-public.lua', import.meta.url);
const TOUCH = lua('./touch.lua', import.meta.url);
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
  readonly #recent = new RecentRecords();

  constructor({ store, nodeId, clock }: RedisChannelRegistryOptions) {
    this.#store = store;
    this.#nodeId = nodeId;
    this.#clock = clock;
    this.#records = store.key('channels');
    this.#events = store.key('events');
  }

  async openPublic(name: string, ttlMs: number): Promise<OpenResult> {
    const now = this.#clock.now();
    const event = this.#eventText({ kind: 'opened', name, at: now });
    const args = [name, seconds(ttlMs), nanoseconds(now), this.#lead(now), this.#events, event];
    const answer = await this.#store.run(OPEN_PUBLIC, [this.#records], args);
    const [change, text] = answer as [OpenResult['change'], string]; // as the script says
    return { record: this.#saw(name, text), change };
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
    const created = await this.#store.call(
      'HSETNX',
      this.#records,
      name,
      recordText(record, this.#lead(now)),
    );
    if (created !== 1) return undefined;
    this.#recent.saw(name, record);
    return record;
  }

  async get(name: string): Promise<ChannelRecord | undefined> {
    return this.#sawIfAny(name, await this.#store.call('HGET', this.#records, name));
  }

  async getAll(names: readonly string[]): Promise<readonly (ChannelRecord | undefined)[]> {
    if (names.length === 0) return [];
    const texts = (await this.#store.call('HMGET', this.#records, ...names)) as (string | null)[]; // one per field
    return names.map((name, index) => this.#sawIfAny(name, texts[index]));
  }

  peek(name: string): ChannelRecord | undefined {
    return this.#recent.get(name);
  }

  async list(): Promise<readonly ChannelRecord[]> {
    const records: ChannelRecord[] = [];
    for await (const slice of this.slices(LIST_BATCH)) for (const record of slice) records.push(record);
    return records;
  }

  async *slices(most: number): AsyncIterable<readonly ChannelRecord[]> {
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
    const answer = await this.#store.run(
      TOUCH,
      [this.#records],
      [name, nanoseconds(now), this.#lead(now), ttl],
    );
    return this.#sawIfAny(name, answer);
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
    const answer = await this.#store.run(script, [this.#records], [name, this.#events, event]);
    if (answer === null) return undefined;
    const [changed, text] = answer as [number, string]; // as the scripts say
    return { record: this.#saw(name, text), changed: changed === 1 };
  }

  async forget(name: string): Promise<void> {
    await this.#store.call('HDEL', this.#records, name);
    this.#recent.saw(name, undefined);
  }

  async announce(event: LifecycleEvent): Promise<void> {
    await this.#store.call('PUBLISH', this.#events, this.#eventText(event));
  }

  async sweep(): Promise<readonly ChannelRecord[]> {
    const changed: ChannelRecord[] = [];
    let cursor = '0';
    do {
      const times = [nanoseconds(this.#clock.now()), Math.floor(this.#store.now())];
      const args = [...times, cursor, SWEEP_BATCH, this.#events, this.#nodeId];
      const [next, ...texts] = (await this.#store.run(SWEEP, [this.#records], args)) as [string, ...string[]];
      for (const text of texts) {
        const { name } = JSON.parse(text) as { readonly name: string }; // written by the script
        const record = readRecord(name, text);
        this.#recent.saw(name, record.state === 'deleted' ? undefined : record);
        changed.push(record);
      }
      cursor = next;
    } while (cursor !== '0');
    return changed;
  }

  /** Updates the cache after another node changed a channel. */
  onLifecycleEvent({ kind, name }: LifecycleEvent): void {
    this.#recent.changed(name, kind === 'opened' ? 'open' : kind);
  }

  /** How far the store's clock is ahead of this node's, in the form of records. */
  #lead(now: number): string {
    return milliseconds(this.#store.now() - now);
  }

  #eventText(event: LifecycleEvent): string {
    return eventText(this.#nodeId, event);
  }

  #saw(name: string, text: string): ChannelRecord {
    const record = readRecord(name, text);
    this.#recent.saw(name, record);
    return record;
  }

  #sawIfAny(name: string, answer: unknown): ChannelRecord | undefined {
    if (typeof answer === 'string') return this.#saw(name, answer);
    this.#recent.saw(name, undefined);
    return undefined;
  }
}

/** The open and closed records of fields and values in turn. */
function recordsOf(entries: readonly string[]): readonly ChannelRecord[] {
  const records: ChannelRecord[] = [];
  for (let index = 0; index + 1 < entries.length; index += 2) {
    const record = readable(entries[index] as string, entries[index + 1] as string);
    if (record !== undefined && record.state !== 'deleted') records.push(record);
  }
  return records;
}

/** An unreadable record must not hide the others. */
function readable(name: string, text: string): ChannelRecord | undefined {
  try {
    return readRecord(name, text);
  } catch {
    return undefined;
  }
}
