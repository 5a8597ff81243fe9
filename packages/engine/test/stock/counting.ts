import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  HistoryResult,
  Presence,
  PresenceCounts,
} from '@msg/engine';
import { type Clock, systemClock, type TimerHandle } from '@msg/foundation/clock';
import type { ClientInfo } from '@msg/protocol';

/** The system clock, counting the timers that have not fired. */
export class CountingClock implements Clock {
  readonly #pending = new Set<TimerHandle>();

  get pending(): number {
    return this.#pending.size;
  }

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  setTimeout(callback: () => void, ms: number): TimerHandle {
    const handle = systemClock.setTimeout(() => {
      this.#pending.delete(handle);
      callback();
    }, ms);
    this.#pending.add(handle);
    return handle;
  }

  clearTimeout(handle: TimerHandle): void {
    this.#pending.delete(handle);
    systemClock.clearTimeout(handle);
  }

  afterTurn(callback: () => void): void {
    systemClock.afterTurn(callback);
  }

  deadline(ms: number): AbortSignal {
    return systemClock.deadline(ms);
  }
}

/** A few turns of the event loop, in which other work gets done. */
async function fewTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
}

/**
 * A broker, remembering what its node is subscribed to. On demand its messages get lost, or its reads take a while
 * before and after they see the stream, as over a network.
 */
export class CountingBroker implements Broker {
  readonly subscribed = new Set<string>();
  /** While true, what is published is stored but not handed on. */
  dropDeliveries = false;
  slowReads = false;
  readonly #broker: Broker;
  /** Publications to come that get lost. */
  #losing = 0;

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  start(events: BrokerEvents): Promise<void> {
    return this.#broker.start({
      join: (...joined) => events.join(...joined),
      leave: (...left) => events.leave(...left),
      restored: channels => events.restored?.(channels),
      missed: channel => events.missed?.(channel),
      flushed: (...flushed) => events.flushed?.(...flushed),
      appendChanged: channel => events.appendChanged?.(channel),
      appended: (...state) => events.appended(...state),
      publication: (...publication) => {
        if (this.#losing === 0) events.publication(...publication);
        else this.#losing--;
      },
    });
  }

  stop(): Promise<void> {
    return this.#broker.stop();
  }

  get appends(): Broker['appends'] {
    return this.#broker.appends;
  }

  async history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    if (this.slowReads) await fewTurns();
    const result = await this.#broker.history(channel, filter, metaTtlMs);
    if (this.slowReads) await fewTurns();
    return result;
  }

  async subscribe(channel: string): Promise<void> {
    if (this.subscribed.has(channel)) throw new Error(`subscribed twice: ${channel}`);
    this.subscribed.add(channel);
    await this.#broker.subscribe(channel);
  }

  async unsubscribe(channel: string): Promise<void> {
    if (!this.subscribed.delete(channel)) throw new Error(`not subscribed: ${channel}`);
    await this.#broker.unsubscribe(channel);
  }

  publish(...args: Parameters<Broker['publish']>): ReturnType<Broker['publish']> {
    if (this.dropDeliveries) this.#losing++;
    return this.#broker.publish(...args);
  }

  publishJoin(channel: string, info: ClientInfo): Promise<void> {
    return this.#broker.publishJoin(channel, info);
  }

  publishLeave(channel: string, info: ClientInfo): Promise<void> {
    return this.#broker.publishLeave(channel, info);
  }

  removeHistory(channel: string): Promise<void> {
    return this.#broker.removeHistory(channel);
  }

  renewEpoch(channel: string, seen: string): Promise<void> {
    return this.#broker.renewEpoch(channel, seen);
  }

  removeStream(channel: string): Promise<void> {
    return this.#broker.removeStream(channel);
  }
}

/** Presence, remembering which entries its node keeps. */
export class CountingPresence implements Presence {
  readonly #presence: Presence;
  readonly #entries = new Set<string>();

  constructor(presence: Presence) {
    this.#presence = presence;
  }

  /** Entries that were added and not removed. */
  get kept(): number {
    return this.#entries.size;
  }

  start(): Promise<void> {
    return this.#presence.start();
  }

  stop(): Promise<void> {
    return this.#presence.stop();
  }

  async add(channel: string, clientId: string, info: ClientInfo): Promise<void> {
    await this.#presence.add(channel, clientId, info);
    this.#entries.add(`${clientId} ${channel}`);
  }

  async remove(channel: string, clientId: string): Promise<void> {
    await this.#presence.remove(channel, clientId);
    this.#entries.delete(`${clientId} ${channel}`);
  }

  get(channel: string): Promise<ReadonlyMap<string, ClientInfo>> {
    return this.#presence.get(channel);
  }

  counts(channel: string): Promise<PresenceCounts> {
    return this.#presence.counts(channel);
  }
}
