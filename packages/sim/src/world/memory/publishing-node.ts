import { defined } from '@msg/foundation/json';
import type { Msg, StoreBackend } from '@msg/server';
import { memoryStores } from '@msg/server/internal';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { type Loss, type Published, textOf } from '../../oracles/observations.ts';
import { hasFilter, type MemorySwitches } from '../../plan/memory-switches.ts';
import { tagsOf } from '../filter.ts';
import { randomOf, startNode } from '../node.ts';
import { PAUSES_MS, padding } from '../payloads.ts';
import { RestartingProcess } from '../restarting-process.ts';
import { streamRule } from '../stream-rule.ts';
import { RecordedBroker } from './recorded-broker.ts';
import { CLEAR_ROAD, RemoteBroker, type Road } from './remote-broker.ts';
import { RemotePresence } from './remote-presence.ts';

/** Of 100 publications so many are sent twice, where any is. */
const REPEATED_PERCENT = 30;
export interface NodeParts {
  readonly switches: MemorySwitches;
  /** Where something is published. */
  readonly channels: readonly string[];
  /** Publishing ends then, in a channel that does not fall silent before. */
  readonly publishUntilMs: number;
  /** When some channels fall silent. */
  readonly silentFromMs: number;
}

/** A node with a publisher inside, which lives and dies with it. */
export class PublishingNode {
  readonly process: RestartingProcess;
  /** What the streams got. */
  readonly published: Published[] = [];
  /** What the publisher was told. */
  readonly answers: Published[] = [];
  readonly losses: Loss[] = [];
  /** What the road brought twice. */
  readonly doubled: Loss[] = [];
  /** When it was killed: its streams ended. */
  readonly wipedAtUs: number[] = [];
  readonly road: Road = { ...CLEAR_ROAD };
  readonly #kernel: Kernel;
  readonly #parts: NodeParts;
  #broker: RemoteBroker | undefined;
  #serial = 0;
  #usual: Road = { ...CLEAR_ROAD };

  constructor(kernel: Kernel, parts: NodeParts) {
    this.#kernel = kernel;
    this.#parts = parts;
    this.process = new RestartingProcess(kernel, actor => this.#start(actor));
  }

  restart(afterMs: number): void {
    this.#broker = undefined;
    this.wipedAtUs.push(this.#kernel.nowUs);
    this.process.restart(afterMs);
  }

  /** The node hears its store again. */
  restored(): void {
    const { actor } = this.process;
    this.#kernel.at(this.#kernel.nowUs / 1000 + 1, actor, 'restored', () => this.#broker?.restored());
  }

  /** What the road is like when nothing happens on it. */
  set usualLossPercent(lossPercent: number) {
    this.#usual = { ...CLEAR_ROAD, lossPercent };
    Object.assign(this.road, this.#usual);
  }

  get usualRoad(): Road {
    return this.#usual;
  }

  async #start(actor: Actor): Promise<void> {
    const { channels, switches } = this.#parts;
    const stores = this.#stores(actor);
    const msg = await startNode(this.#kernel, actor, {
      channelOptions: [{ ...streamRule(switches), tagsFilter: hasFilter(switches) }],
      stores,
    });
    for (const channel of channels) {
      await msg.channels.openPublic(channel);
      this.#publishInto(msg, actor, channel);
    }
  }

  /** Stores in memory whose streams are written down, behind a road or not. */
  #stores(actor: Actor): StoreBackend {
    const { published, losses, doubled, road } = this;
    const kernel = this.#kernel;
    const mostMs = this.#parts.switches.roadMs;
    return {
      open: async context => {
        const stores = await memoryStores().open(context);
        if (mostMs === 0)
          return { ...stores, engine: { broker: new RecordedBroker(kernel, randomOf(actor), published) } };
        this.#broker = new RemoteBroker({ kernel, actor, published, losses, doubled, road, mostMs });
        return { ...stores, engine: { broker: this.#broker, presence: new RemotePresence(actor, mostMs) } };
      },
    };
  }

  #publishInto(msg: Msg, actor: Actor, channel: string): void {
    const stream = actor.stream(`publisher of ${channel}`);
    const { publishUntilMs, silentFromMs, switches } = this.#parts;
    const everyMs = stream.pick(PAUSES_MS[switches.publishing]);
    const untilMs = stream.chance(switches.silentPercent) ? silentFromMs : publishUntilMs;
    const pad = padding(switches.payloads, stream);
    const isRepeated = (): boolean => switches.repeats !== 'none' && stream.chance(REPEATED_PERCENT);
    const next = (): void => {
      setTimeout(
        () => {
          if (this.#kernel.nowUs / 1000 > untilMs) return;
          const payload = { channel, serial: ++this.#serial, pad: pad() };
          const publish = (): Promise<void> => this.#publish(msg, payload);
          void Promise.all(isRepeated() ? [publish(), publish()] : [publish()]).then(next);
        },
        stream.between(1, 2 * everyMs),
      );
    };
    next();
  }

  async #publish(msg: Msg, payload: Payload): Promise<void> {
    const { channel, serial } = payload;
    const { repeats } = this.#parts.switches;
    const extras = defined({
      tags: hasFilter(this.#parts.switches) ? tagsOf(serial) : undefined,
      idempotencyKey: repeats === 'key' ? String(serial) : undefined,
      version: repeats === 'version' ? serial : undefined,
    });
    const { offset, epoch } = await msg.publish(channel, payload, extras);
    // The answer to a version that is known names the top, which may be another publication.
    if (repeats === 'version') return;
    this.answers.push({ atUs: this.#kernel.nowUs, channel, epoch, offset, text: textOf(payload) });
  }
}

/** What is published. */
interface Payload {
  readonly channel: string;
  readonly serial: number;
  readonly pad: string;
}
