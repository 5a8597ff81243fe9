import {
  type BrokerEvents,
  type Clock,
  type HistoryFilter,
  type HistoryResult,
  MemoryBroker,
  systemClock,
  type TimerHandle,
} from '@msg/engine';

/** The system clock, counting the timers that have not fired. */
export class CountingClock implements Clock {
  readonly #pending = new Set<TimerHandle>();

  get pending(): number {
    return this.#pending.size;
  }

  now(): number {
    return systemClock.now();
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
}

/** A few turns of the event loop, in which other work gets done. */
async function fewTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
}

/**
 * The memory broker, remembering what its node is subscribed to. On demand its messages get lost, or its reads
 * take a while before and after they see the stream, as over a network.
 */
export class CountingBroker extends MemoryBroker {
  readonly subscribed = new Set<string>();
  /** While true, publications are stored but not handed on. */
  dropDeliveries = false;
  slowReads = false;

  override start(events: BrokerEvents): Promise<void> {
    return super.start({
      join: events.join,
      leave: events.leave,
      publication: (...publication) => {
        if (!this.dropDeliveries) events.publication(...publication);
      },
    });
  }

  override async history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    if (this.slowReads) await fewTurns();
    const result = await super.history(channel, filter, metaTtlMs);
    if (this.slowReads) await fewTurns();
    return result;
  }

  override async subscribe(channel?: string): Promise<void> {
    if (channel === undefined || this.subscribed.has(channel))
      throw new Error(`subscribed twice: ${channel}`);
    this.subscribed.add(channel);
    await super.subscribe();
  }

  override async unsubscribe(channel?: string): Promise<void> {
    if (channel === undefined || !this.subscribed.delete(channel))
      throw new Error(`not subscribed: ${channel}`);
    await super.unsubscribe();
  }
}
