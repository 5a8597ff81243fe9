import type { Clock } from '@msg/foundation/clock';
import type { MaybePromise } from '@msg/foundation/promises';
import type { ChannelRecord } from '../record.ts';
import type { ChannelRegistry, CloseResult, DeleteResult, OpenResult } from './contract.ts';

interface Entry {
  record: ChannelRecord;
  /** Monotonic time of the last activity, from which the TTL is measured. */
  activeAt: number;
}

/** The registry of a single node, which ends with the process. */
export class MemoryChannelRegistry implements ChannelRegistry {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async openPublic(name: string, ttlMs: number): Promise<OpenResult> {
    const current = this.#entries.get(name)?.record;
    if (current?.state === 'deleted') return { record: current, change: 'refused' };
    const now = this.#clock.now();
    const record: ChannelRecord = {
      name,
      visibility: 'public',
      state: 'open',
      ttlMs,
      createdAt: current?.createdAt ?? now,
      lastActive: now,
    };
    this.#entries.set(name, { record, activeAt: this.#clock.monotonic() });
    if (current === undefined) return { record, change: 'created' };
    return { record, change: current.state === 'open' ? 'refreshed' : 'reopened' };
  }

  async createPrivate(name: string, ttlMs: number): Promise<ChannelRecord | undefined> {
    if (this.#entries.has(name)) return undefined;
    const now = this.#clock.now();
    const record: ChannelRecord = {
      name,
      visibility: 'private',
      state: 'open',
      ttlMs,
      createdAt: now,
      lastActive: now,
    };
    this.#entries.set(name, { record, activeAt: this.#clock.monotonic() });
    return record;
  }

  get(name: string): MaybePromise<ChannelRecord | undefined> {
    return this.#entries.get(name)?.record;
  }

  async getAll(names: readonly string[]): Promise<readonly (ChannelRecord | undefined)[]> {
    return names.map(name => this.peek(name));
  }

  peek(name: string): ChannelRecord | undefined {
    return this.#entries.get(name)?.record;
  }

  async list(): Promise<readonly ChannelRecord[]> {
    return [...this.#entries.values()].map(({ record }) => record).filter(({ state }) => state !== 'deleted');
  }

  async *slices(most: number): AsyncIterable<readonly ChannelRecord[]> {
    let slice: ChannelRecord[] = [];
    let seen = 0;
    for (const { record } of this.#entries.values()) {
      if (record.state !== 'deleted') slice.push(record);
      seen += 1;
      if (seen % most !== 0) continue;
      yield slice;
      slice = [];
    }
    yield slice;
  }

  touch(name: string, ttlMs?: number): MaybePromise<ChannelRecord | undefined> {
    const entry = this.#entries.get(name);
    if (entry?.record.state !== 'open') return entry?.record;
    const now = this.#clock.monotonic();
    // A busy channel is touched many times in a millisecond: its record is copied once in that time.
    if (ttlMs === undefined && now - entry.activeAt < 1) return entry.record;
    entry.record = { ...entry.record, lastActive: this.#clock.now(), ttlMs: ttlMs ?? entry.record.ttlMs };
    entry.activeAt = now;
    return entry.record;
  }

  async close(name: string): Promise<CloseResult | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.record.state !== 'open') return { record: entry.record, changed: false };
    entry.record = { ...entry.record, state: 'closed' };
    return { record: entry.record, changed: true };
  }

  async delete(name: string): Promise<DeleteResult | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.record.state === 'deleted') return { record: entry.record, changed: false };
    entry.record = { ...entry.record, state: 'deleted' };
    return { record: entry.record, changed: true };
  }

  /** A single node notifies no other node. */
  async announce(): Promise<void> {}

  async forget(name: string): Promise<void> {
    this.#entries.delete(name);
  }

  async sweep(): Promise<readonly ChannelRecord[]> {
    const now = this.#clock.monotonic();
    const changed: ChannelRecord[] = [];
    for (const entry of this.#entries.values()) {
      const { record, activeAt } = entry;
      if (record.state !== 'open' || now - activeAt < record.ttlMs) continue;
      if (record.visibility === 'public') {
        entry.record = { ...record, state: 'closed' };
        changed.push(entry.record);
      } else {
        this.#entries.delete(record.name);
        changed.push({ ...record, state: 'deleted' });
      }
    }
    return changed;
  }
}
