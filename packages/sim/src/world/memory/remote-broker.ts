import type { MemoryBroker } from '@msg/engine';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Stream } from '../../kernel/stream.ts';
import type { Loss, Published } from '../../oracles/observations.ts';
import { randomOf } from '../node.ts';
import { RecordedBroker } from './recorded-broker.ts';

type Events = Parameters<MemoryBroker['start']>[0];

/** What the road between a store and its node does to messages. */
export interface Road {
  /** Of 100 messages so many are lost, without a word. */
  lossPercent: number;
  /** Every message comes a second time. */
  repeats: boolean;
  /** What each message takes longer. */
  lateMs: number;
}

/** A road on which nothing happens. */
export const CLEAR_ROAD: Readonly<Road> = { lossPercent: 0, repeats: false, lateMs: 0 };

interface RemoteParts {
  readonly kernel: Kernel;
  readonly actor: Actor;
  readonly published: Published[];
  readonly losses: Loss[];
  /** What was sent twice. */
  readonly doubled: Loss[];
  readonly road: Road;
  /** The longest way there or back. */
  readonly mostMs: number;
}

/**
 * Streams behind a road: every call waits for its way there and back, and a publication reaches the node some time after
 * the store has it, in the order of the writes, twice or never.
 */
export class RemoteBroker extends RecordedBroker {
  readonly #parts: RemoteParts;
  readonly #draw: Stream;
  readonly #drawOfNotices: Stream;
  /** Channels of which the store tells the node. */
  readonly #told = new Set<string>();
  #events: Events | null = null;
  /** On the way to the node, in the order of the writes. */
  readonly #onTheWay: (() => void)[] = [];
  #lastArrivalUs = 0;

  constructor(parts: RemoteParts) {
    super(parts.kernel, randomOf(parts.actor), parts.published);
    this.#parts = parts;
    this.#draw = parts.actor.stream('road');
    this.#drawOfNotices = parts.actor.stream('road of joins and leaves');
  }

  /** The node heard nothing for a while, and hears again from now on. */
  restored(): void {
    this.#events?.restored?.();
  }

  override start(events: Events): Promise<void> {
    this.#events = events;
    return super.start({
      ...events,
      publication: (...message) => this.#send(message[0], () => events.publication(...message)),
    });
  }

  // The broker in memory takes no name; its node always gives one.
  override async subscribe(channel = ''): Promise<void> {
    await this.#travel();
    this.#told.add(channel);
    await this.#travel();
  }

  override async unsubscribe(channel = ''): Promise<void> {
    await this.#travel();
    this.#told.delete(channel);
    await this.#travel();
  }

  override async publish(...args: Parameters<RecordedBroker['publish']>) {
    await this.#travel();
    const outcome = await super.publish(...args);
    await this.#travel();
    return outcome;
  }

  override async publishJoin(...args: Parameters<RecordedBroker['publishJoin']>): Promise<void> {
    await this.#travel(this.#drawOfNotices);
    await super.publishJoin(...args);
  }

  override async publishLeave(...args: Parameters<RecordedBroker['publishLeave']>): Promise<void> {
    await this.#travel(this.#drawOfNotices);
    await super.publishLeave(...args);
  }

  override async history(...args: Parameters<RecordedBroker['history']>) {
    await this.#travel();
    const window = await super.history(...args);
    await this.#travel();
    return window;
  }

  #travel(draw = this.#draw): Promise<void> {
    return new Promise(resolve => setTimeout(resolve, draw.between(1, this.#parts.mostMs)));
  }

  #send(channel: string, deliver: () => void): void {
    const { kernel, losses, doubled, road, mostMs } = this.#parts;
    if (!this.#told.has(channel)) return;
    if (this.#draw.chance(road.lossPercent)) {
      losses.push({ channel, atUs: kernel.nowUs });
      return;
    }
    if (road.repeats) doubled.push({ channel, atUs: kernel.nowUs });
    for (let left = road.repeats ? 2 : 1; left > 0; left--) {
      const onTheWayMs = this.#draw.between(1, mostMs) + road.lateMs;
      this.#lastArrivalUs = Math.max(this.#lastArrivalUs, kernel.nowUs + onTheWayMs * 1000);
      this.#onTheWay.push(deliver);
      // Timers of one moment may run in any order.
      setTimeout(() => this.#onTheWay.shift()?.(), (this.#lastArrivalUs - kernel.nowUs) / 1000);
    }
  }
}
