import type { VersionTable } from '@msg/engine/threads';
import type { Clock } from '@msg/foundation/clock';
import type { LifecycleEvent } from '../../channels/lifecycle-feed.ts';
import type { ChannelRecord } from '../../channels/record.ts';
import type {
  ChannelRegistry,
  CloseResult,
  DeleteResult,
  OpenResult,
} from '../../channels/registry/contract.ts';
import type { ProcessBus } from './process-bus.ts';

/** What a {@link SharedRegistry} needs. */
export interface SharedRegistryParts {
  /** Where the records are. */
  readonly registry: ChannelRegistry;
  readonly versions: VersionTable;
  readonly bus: ProcessBus;
  readonly clock: Clock;
}

/**
 * Main's registry, as main or a thread uses it. A change gives the channel another version before it is answered, and is
 * told to all other threads.
 */
export class SharedRegistry implements ChannelRegistry {
  readonly #parts: SharedRegistryParts;
  /** The thread that uses it; 0 is main. */
  readonly #from: number;
  readonly current?: NonNullable<ChannelRegistry['current']>;
  readonly slices?: NonNullable<ChannelRegistry['slices']>;
  readonly noteActivity?: NonNullable<ChannelRegistry['noteActivity']>;

  constructor(parts: SharedRegistryParts, from: number) {
    const { registry } = parts;
    this.#parts = parts;
    this.#from = from;
    if (registry.current !== undefined) this.current = registry.current.bind(registry);
    if (registry.slices !== undefined) this.slices = registry.slices.bind(registry);
    if (registry.noteActivity !== undefined) this.noteActivity = registry.noteActivity.bind(registry);
  }

  /** The same registry for thread `number`. */
  of(number: number): SharedRegistry {
    return new SharedRegistry(this.#parts, number);
  }

  async openPublic(name: string, ttlMs: number): Promise<OpenResult> {
    const result = await this.#registry.openPublic(name, ttlMs);
    if (result.change === 'created' || result.change === 'reopened') this.#announce('opened', name);
    this.#change(name);
    return result;
  }

  async createPrivate(name: string, ttlMs: number): Promise<ChannelRecord | undefined> {
    const record = await this.#registry.createPrivate(name, ttlMs);
    if (record !== undefined) this.#change(name);
    return record;
  }

  get(name: string): ReturnType<ChannelRegistry['get']> {
    return this.#registry.get(name);
  }

  getAll(names: readonly string[]): Promise<readonly (ChannelRecord | undefined)[]> {
    return this.#registry.getAll(names);
  }

  peek(name: string): ChannelRecord | undefined {
    return this.#registry.peek(name);
  }

  list(): Promise<readonly ChannelRecord[]> {
    return this.#registry.list();
  }

  touch(name: string, ttlMs?: number): ReturnType<ChannelRegistry['touch']> {
    return ttlMs === undefined ? this.#registry.touch(name) : this.#touchWithTtl(name, ttlMs);
  }

  async close(name: string): Promise<CloseResult | undefined> {
    const result = await this.#registry.close(name);
    if (result?.changed === true) this.#announce('closed', name);
    this.#change(name);
    return result;
  }

  async delete(name: string): Promise<DeleteResult | undefined> {
    const result = await this.#registry.delete(name);
    if (result?.changed === true) this.#announce('deleted', name);
    this.#change(name);
    return result;
  }

  async announce(event: LifecycleEvent): Promise<void> {
    await this.#registry.announce(event);
    void this.#parts.bus.announce({ kind: 'channel', event }, this.#from);
  }

  async forget(name: string): Promise<void> {
    await this.#registry.forget(name);
    this.#change(name);
  }

  async sweep(): Promise<readonly ChannelRecord[]> {
    await this.#parts.bus.collectActivity();
    const changed = await this.#registry.sweep();
    for (const { name, state } of changed) {
      this.#announce(state === 'closed' ? 'closed' : 'deleted', name);
      this.#change(name);
    }
    return changed;
  }

  get #registry(): ChannelRegistry {
    return this.#parts.registry;
  }

  async #touchWithTtl(name: string, ttlMs: number): Promise<ChannelRecord | undefined> {
    const record = await this.#registry.touch(name, ttlMs);
    this.#change(name);
    return record;
  }

  #change(name: string): void {
    const { versions } = this.#parts;
    versions.change(versions.slotOf(name));
  }

  #announce(kind: LifecycleEvent['kind'], name: string): void {
    const { bus, clock } = this.#parts;
    void bus.announce({ kind: 'channel', event: { kind, name, at: clock.now() } }, this.#from);
  }
}
