import type { LinkEnd, VersionTable } from '@msg/engine/threads';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { withDeadline } from '@msg/foundation/promises';
import type { ClusterBus, ClusterEvents } from '../contract.ts';
import type { SubsystemStates } from '../subsystem-state.ts';
import { type News, StoreCall } from './calls.ts';
import { Slot } from './versions.ts';

/** How long a change waits for the threads that have to follow it (threads 5). */
const FOLLOW_MS = 1000;
/** How often threads are told of parts that began to work, or stopped. */
const HEALTH_MS = 1000;

/** What a {@link ProcessBus} needs. */
export interface ProcessBusParts {
  /** Between this process and others. */
  readonly bus: ClusterBus | undefined;
  readonly versions: VersionTable;
  readonly clock: Clock;
  /** Told of a thread that did not follow in time. */
  readonly onError: (error: unknown) => void;
}

/** News between main, its threads, and what the bus below it reaches. Main is number 0. */
export class ProcessBus implements ClusterBus {
  readonly #parts: ProcessBusParts;
  /** Threads that listen. */
  readonly #threads = new Map<number, LinkEnd>();
  #events: ClusterEvents | undefined;
  #timer: TimerHandle | undefined;
  #onSchemas: (() => void) | undefined;

  constructor(parts: ProcessBusParts) {
    this.#parts = parts;
  }

  get joinsProcesses(): boolean {
    const { bus } = this.#parts;
    return bus !== undefined && bus.joinsProcesses !== false;
  }

  get health(): SubsystemStates {
    return this.#parts.bus?.health ?? {};
  }

  /** Calls back when another process has written the schemas. */
  onSchemasOfOthers(listener: () => void): void {
    this.#onSchemas = listener;
  }

  async start(events: ClusterEvents): Promise<void> {
    this.#events = events;
    const { bus, versions } = this.#parts;
    await bus?.start({
      onChannelChanged: event => {
        versions.change(versions.slotOf(event.name));
        void this.announce({ kind: 'channel', event }, null);
      },
      onKeyringChanged: () => events.onKeyringChanged(), // the keyring tells what it takes over
      onSchemasChanged: () => this.#onSchemas?.(),
      onReconnected: () => {
        versions.changeNames();
        versions.change(Slot.revocations);
        void this.announce({ kind: 'reconnected' }, null);
      },
    });
    if (bus !== undefined) this.#watchHealth(JSON.stringify(this.health));
  }

  async close(): Promise<void> {
    this.#events = undefined;
    if (this.#timer !== undefined) this.#parts.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#parts.bus?.close();
  }

  /** Serves the bus of thread `number` through its link. */
  attach(number: number, link: LinkEnd): void {
    link.handleCall(StoreCall.started, () => {
      this.#threads.set(number, link);
      return this.health;
    });
    link.handleCall(StoreCall.stopped, () => this.detach(number));
  }

  /** A thread has ended. */
  detach(number: number): void {
    this.#threads.delete(number);
  }

  /** Announces news to all but the one from which it comes; resolves when they go by it, or after a second. */
  async announce(news: News, from: number | null): Promise<void> {
    const others = [...this.#threads].filter(([number]) => number !== from);
    const atMain = from === 0 ? undefined : this.#tellMain(news);
    await Promise.all([
      atMain?.catch(this.#parts.onError),
      ...others.map(([number, link]) => this.#tellThread(number, link, StoreCall.news, news)),
    ]);
  }

  /** Lets the threads send the activity that waits on them; resolves when it has come, or after a second. */
  async collectActivity(): Promise<void> {
    await Promise.all(
      [...this.#threads].map(([number, link]) => this.#tellThread(number, link, StoreCall.flush)),
    );
  }

  #watchHealth(before: string): void {
    this.#timer = this.#parts.clock.setTimeout(() => {
      const { health } = this;
      const text = JSON.stringify(health);
      if (text !== before) void this.announce({ kind: 'health', health }, 0);
      this.#watchHealth(text);
    }, HEALTH_MS);
  }

  async #tellThread(number: number, link: LinkEnd, call: string, argument?: unknown): Promise<void> {
    const { clock, onError } = this.#parts;
    const late = (): never => {
      throw new Error(`thread ${number} has not followed a change within ${FOLLOW_MS} ms`);
    };
    try {
      await withDeadline(clock, FOLLOW_MS, link.call(call, argument), late);
    } catch (error) {
      if (this.#threads.get(number) === link) onError(error); // one that has ended holds nothing
    }
  }

  async #tellMain(news: News): Promise<void> {
    const events = this.#events;
    switch (news.kind) {
      case 'channel':
        events?.onChannelChanged(news.event);
        return;
      case 'schemas':
        await events?.onSchemasChanged();
        return;
      case 'revoked':
        await events?.onRevoked?.();
        return;
      case 'reconnected':
        events?.onReconnected();
    }
  }
}
