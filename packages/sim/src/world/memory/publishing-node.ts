import { defined } from '@msg/foundation/json';
import type { Msg, StoreBackend } from '@msg/server';
import { memoryStores } from '@msg/server/internal';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { type Loss, type Published, type Retention, textOf } from '../../oracles/observations.ts';
import { RestartingProcess } from '../restarting-process.ts';
import { startNode } from './node.ts';
import { CLEAR_ROAD, RemoteBroker, type Road } from './remote-broker.ts';

/** Of 100 channels so many fall silent during the faults: only a check finds what was lost at their end. */
const SILENT_PERCENT = 40;

export interface NodeParts {
  readonly channels: readonly string[];
  readonly retention: Retention;
  /** Publishing ends then, in a channel that does not fall silent before. */
  readonly publishUntilMs: number;
  /** When some channels fall silent. */
  readonly silentFromMs: number;
  /** The streams are behind a road, and its longest way takes so long; 0: they are in the node. */
  readonly roadMs: number;
}

/** A node with a publisher inside, which lives and dies with it. */
export class PublishingNode {
  readonly process: RestartingProcess;
  /** What the streams got. */
  readonly published: Published[] = [];
  /** What the publisher was told. */
  readonly answers: Published[] = [];
  readonly losses: Loss[] = [];
  /** When it was killed: its streams ended. */
  readonly wipedAtUs: number[] = [];
  readonly road: Road = { ...CLEAR_ROAD };
  readonly #kernel: Kernel;
  readonly #parts: NodeParts;
  #broker: RemoteBroker | undefined;
  #serial = 0;

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

  async #start(actor: Actor): Promise<void> {
    const { channels, retention, roadMs } = this.#parts;
    const { size: publicHistorySize, ttlMs: publicHistoryTtlMs } = retention;
    const stores = roadMs > 0 ? this.#remoteStores(actor) : undefined;
    const options = { publicHistorySize, publicHistoryTtlMs, ...defined({ stores }) };
    const msg = await startNode(this.#kernel, actor, options);
    for (const channel of channels) {
      await msg.channels.openPublic(channel);
      this.#publishInto(msg, actor, channel);
    }
  }

  #remoteStores(actor: Actor): StoreBackend {
    const { published, losses, road } = this;
    const kernel = this.#kernel;
    const { roadMs: mostMs } = this.#parts;
    return {
      open: async context => {
        const stores = await memoryStores().open(context);
        this.#broker = new RemoteBroker({ kernel, actor, published, losses, road, mostMs });
        return { ...stores, engine: { broker: this.#broker } };
      },
    };
  }

  #publishInto(msg: Msg, actor: Actor, channel: string): void {
    const stream = actor.stream(`publisher of ${channel}`);
    const everyMs = stream.pick([50, 500, 3000, 20_000]);
    const { publishUntilMs, silentFromMs } = this.#parts;
    const untilMs = stream.chance(SILENT_PERCENT) ? silentFromMs : publishUntilMs;
    const next = (): void => {
      setTimeout(
        () => {
          if (this.#kernel.nowUs / 1000 > untilMs) return;
          const payload = {
            channel,
            serial: ++this.#serial,
            pad: 'x'.repeat(stream.pick([0, 10, 200, 5000])),
          };
          void msg.publish(channel, payload).then(({ offset, epoch }) => {
            const answer = { atUs: this.#kernel.nowUs, channel, epoch, offset, text: textOf(payload) };
            this.answers.push(answer);
            if (this.#parts.roadMs === 0) this.published.push(answer);
            next();
          });
        },
        stream.between(1, 2 * everyMs),
      );
    };
    next();
  }
}
