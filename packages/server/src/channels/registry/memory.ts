import type { Awaitable } from '@msg/engine';
import type { ChannelRecord } from '../record.ts';
import type { ChannelRegistry, DeleteResult, OpenResult } from './contract.ts';

/** The registry of a single node: gone with the process. */
export class MemoryChannelRegistry implements ChannelRegistry {
  readonly #records = new Map<string, ChannelRecord>();

  async openPublic(name: string, ttlMs: number, now: number): Promise<OpenResult> {
    const known = this.#records.get(name);
    if (known?.state === 'deleted') return { record: known, change: 'refused' };
    const record: ChannelRecord = {
      name,
      visibility: 'public',
      state: 'open',
      ttlMs,
      createdAt: known?.createdAt ?? now,
      lastActive: now,
    };
    this.#records.set(name, record);
    if (known === undefined) return { record, change: 'created' };
    return { record, change: known.state === 'open' ? 'refreshed' : 'reopened' };
  }

  async createPrivate(name: string, ttlMs: number, now: number): Promise<ChannelRecord | undefined> {
    if (this.#records.has(name)) return undefined;
    const record: ChannelRecord = {
      name,
      visibility: 'private',
      state: 'open',
      ttlMs,
      createdAt: now,
      lastActive: now,
    };
    this.#records.set(name, record);
    return record;
  }

  get(name: string): Awaitable<ChannelRecord | undefined> {
    return this.#records.get(name);
  }

  async getAll(names: readonly string[]): Promise<readonly (ChannelRecord | undefined)[]> {
    return names.map(name => this.#records.get(name));
  }

  peek(name: string): ChannelRecord | undefined {
    return this.#records.get(name);
  }

  async list(): Promise<readonly ChannelRecord[]> {
    return [...this.#records.values()].filter(record => record.state !== 'deleted');
  }

  touch(name: string, now: number): Awaitable<ChannelRecord | undefined> {
    const known = this.#records.get(name);
    if (known?.state !== 'open') return known;
    const record = { ...known, lastActive: now };
    this.#records.set(name, record);
    return record;
  }

  async delete(name: string): Promise<DeleteResult | undefined> {
    const known = this.#records.get(name);
    if (known === undefined) return undefined;
    if (known.state === 'deleted') return { record: known, changed: false };
    const record: ChannelRecord = { ...known, state: 'deleted' };
    this.#records.set(name, record);
    return { record, changed: true };
  }

  /** There is no other node. */
  async announce(): Promise<void> {}

  async forget(name: string): Promise<void> {
    this.#records.delete(name);
  }

  async sweep(now: number): Promise<readonly ChannelRecord[]> {
    const changed: ChannelRecord[] = [];
    for (const record of this.#records.values()) {
      if (record.state !== 'open' || now - record.lastActive < record.ttlMs) continue;
      if (record.visibility === 'public') {
        const closed: ChannelRecord = { ...record, state: 'closed' };
        this.#records.set(record.name, closed);
        changed.push(closed);
      } else {
        this.#records.delete(record.name);
        changed.push({ ...record, state: 'deleted' });
      }
    }
    return changed;
  }
}
