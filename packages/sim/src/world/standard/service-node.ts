import type { StoreBackend } from '@msg/server';
import { redisStores } from '@msg/server/internal';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { StandardSwitches } from '../../plan/standard-switches.ts';
import { startNode } from '../node.ts';
import { CHANNELS, streamRule } from '../stream-rule.ts';
import { BACKEND_KEY } from './backend-rpc.ts';
import { HeardBroker } from './heard-broker.ts';
import { LIMIT, LIMITED_CHANNEL } from './limited-caller.ts';
import { NodeLife } from './losses.ts';
import { type StoreKind, storeAddress } from './store.ts';

/** After an end that was not asked for, the process starts again so much later. */
const AGAIN_MS = 1000;
/** What wall clocks of nodes differ from the others. */
const SKEW_MS = 250;

/** A node of the service: a process on the common store, which is started again whenever it ends. */
export class ServiceNode {
  readonly name: string;
  /** What each process of it heard. */
  readonly lives: NodeLife[] = [];
  /** How often it has started. */
  starts = 0;
  readonly #kernel: Kernel;
  readonly #switches: StandardSwitches;
  /** Ends the service of the present process; undefined before it has started. */
  #stop: AbortController | undefined;

  constructor(kernel: Kernel, name: string, switches: StandardSwitches) {
    this.#kernel = kernel;
    this.name = name;
    this.#switches = switches;
  }

  get actor(): Actor {
    return this.#kernel.actor(this.name);
  }

  startAt(ms: number): void {
    const { actor } = this;
    this.#kernel.at(ms, actor, 'start', () => void this.#start(actor));
  }

  /** As `kill -9`; it starts again after a while. */
  kill(afterMs: number): void {
    this.#end(this.actor, afterMs);
  }

  /** Asks it to drain and end; it starts again soon. */
  replace(): void {
    this.#kernel.at(this.#kernel.nowUs / 1000, this.actor, 'stop', () => this.#stop?.abort());
  }

  #end(actor: Actor, afterMs: number): void {
    if (actor.state === 'killed') return;
    this.#kernel.kill(actor);
    this.#stop = undefined;
    this.lives.at(-1)?.ends(this.#kernel.nowUs);
    this.startAt(this.#kernel.nowUs / 1000 + afterMs);
  }

  async #start(actor: Actor): Promise<void> {
    const life = new NodeLife();
    this.lives.push(life);
    this.starts++;
    const stop = new AbortController();
    this.#stop = stop;
    actor.clockOffsetMs = actor.stream('skew').between(-SKEW_MS, SKEW_MS);
    const ended = (): void => this.#end(actor, AGAIN_MS);
    const { signal } = stop;
    await startNode(this.#kernel, actor, this.#options(life), { host: this.name, signal, ended }).catch(
      ended,
    );
  }

  #options(life: NodeLife): Parameters<typeof startNode>[2] {
    return {
      channels: {
        open: [CHANNELS, LIMITED_CHANNEL].map(pattern => ({ pattern, ttlMs: Number.POSITIVE_INFINITY })),
        rules: [streamRule(this.#switches)],
      },
      apiKeys: [{ name: 'publishers', key: BACKEND_KEY }],
      rateLimits: { perChannelPublish: [{ pattern: LIMITED_CHANNEL, ...LIMIT }] },
      drainWindowMs: this.#switches.drainWindowMs,
      stores: this.#stores(life),
    };
  }

  #stores(life: NodeLife): StoreBackend {
    return {
      open: async context => {
        const stores = await redisStores({ address: storeAddress(this.#switches.store as StoreKind) }).open(
          context,
        );
        const broker = stores.engine?.broker;
        if (broker === undefined) throw new Error('a store of several nodes has a broker');
        return {
          ...stores,
          engine: { ...stores.engine, broker: new HeardBroker(this.#kernel, broker, life) },
        };
      },
    };
  }
}
