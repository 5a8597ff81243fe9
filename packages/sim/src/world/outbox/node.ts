import { FaultyBroker } from '@msg/engine/testing';
import type { Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { MsgOptions, StoreBackend } from '@msg/server';
import { memoryStores } from '@msg/server/internal';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Published, Retention } from '../../oracles/observations.ts';
import { RecordedBroker } from '../memory/recorded-broker.ts';
import { randomOf, startNode } from '../node.ts';
import { RestartingProcess } from '../restarting-process.ts';
import { WORKER_KEY } from './worker.ts';

export interface NodeParts {
  readonly channels: readonly string[];
  readonly retention: Retention;
  readonly published: Published[];
  /** Of 100 channels so many are opened a while after the start. */
  readonly latePercent: number;
  /** Publications that the workers may make in a second; 0: unlimited. */
  readonly publishRate: number;
  /** Further options of each life. */
  readonly options: (actor: Actor) => Partial<MsgOptions>;
}

/** The service, which can be killed and started again: its streams end with it. */
export class RestartingService {
  readonly #kernel: Kernel;
  readonly #parts: NodeParts;
  readonly #process: RestartingProcess;
  readonly #failures: { end(): void }[] = [];
  #broker: FaultyBroker | undefined;

  constructor(kernel: Kernel, parts: NodeParts) {
    this.#kernel = kernel;
    this.#parts = parts;
    this.#process = new RestartingProcess(kernel, actor => this.#start(actor));
  }

  get actor(): Actor {
    return this.#process.actor;
  }

  startAt(ms: number): void {
    this.#process.startAt(ms);
  }

  restart(afterMs: number): void {
    this.#broker = undefined;
    this.#process.restart(afterMs);
  }

  /** The next publications fail in the store: before their effect, or after it. In the calm none do. */
  failPublications(times: number, moment: 'before' | 'after'): void {
    const fault = this.#broker?.fail('publish', { times, moment });
    if (fault !== undefined) this.#failures.push(fault);
  }

  /** No publication fails any more. */
  mend(): void {
    for (const fault of this.#failures.splice(0)) fault.end();
  }

  async #start(actor: Actor): Promise<void> {
    const { channels, retention, latePercent, publishRate, options } = this.#parts;
    const { size: publicHistorySize, ttlMs: publicHistoryTtlMs } = retention;
    const publish = { rate: publishRate, perMs: 1000, burst: 0 };
    const msg = await startNode(this.#kernel, actor, {
      publicHistorySize,
      publicHistoryTtlMs,
      stores: this.#stores(randomOf(actor)),
      apiKeys: [{ name: 'workers', key: WORKER_KEY }],
      channels: { rules: [{ pattern: 'public:sim.*', payload: 'json' }] },
      ...defined({ rateLimits: publishRate === 0 ? undefined : { publish } }),
      ...options(actor),
    });
    const draw = actor.stream('channels');
    for (const channel of channels) {
      const open = (): void => void msg.channels.openPublic(channel);
      if (draw.chance(latePercent)) setTimeout(open, draw.between(100, 40_000));
      else open();
    }
  }

  #stores(random: Random): StoreBackend {
    return {
      open: async context => {
        const stores = await memoryStores().open(context);
        const broker = new FaultyBroker(new RecordedBroker(this.#kernel, random, this.#parts.published));
        this.#broker = broker;
        return { ...stores, engine: { broker } };
      },
    };
  }
}
