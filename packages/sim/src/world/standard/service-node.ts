import type { StoreBackend } from '@msg/server';
import { memoryStores } from '@msg/server/internal';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { StandardSwitches } from '../../plan/standard-switches.ts';
import { RecordedBroker } from '../memory/recorded-broker.ts';
import { randomOf, startNode } from '../node.ts';
import { HeardBroker } from './heard-broker.ts';
import { LIMITED_CHANNEL } from './limited-caller.ts';
import { NodeLife } from './losses.ts';
import { serviceOptions } from './service-options.ts';
import { type Store, type StoreKind, storeOptions } from './store.ts';

/** After an end that was not asked for, the process starts again so much later. */
const AGAIN_MS = 1000;
/** What wall clocks of nodes differ from the others. */
const SKEW_MS = 250;

/** Where nothing is retained there is no stream. */
function isFollowed(channel: string): boolean {
  return channel !== LIMITED_CHANNEL;
}

/** A node of the service: a process on the shared store, which is started again whenever it ends. */
export class ServiceNode {
  readonly name: string;
  /** What each process of it heard. */
  readonly lives: NodeLife[] = [];
  /** How often it has started. */
  starts = 0;
  readonly #kernel: Kernel;
  readonly #switches: StandardSwitches;
  readonly #store: Store;
  /** Ends the service of the present process; undefined before it has started. */
  #stop: AbortController | undefined;

  constructor(
    kernel: Kernel,
    name: string,
    { switches, store }: { switches: StandardSwitches; store: Store },
  ) {
    this.#store = store;
    this.#kernel = kernel;
    this.name = name;
    this.#switches = switches;
  }

  get #storeKind(): StoreKind {
    return this.#switches.store as StoreKind; // of the class `long`, too
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
    if (this.#storeKind === 'memory') this.#store.truth.wiped();
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
    const { address, ...spread } = storeOptions(this.#storeKind);
    const shared = serviceOptions(this.#switches, { kernel: this.#kernel, address, spread, life });
    const options = this.#storeKind === 'memory' ? { ...shared, stores: this.#memory(actor, life) } : shared;
    await startNode(this.#kernel, actor, options, { host: this.name, signal, ended }).catch(ended);
  }

  /** Stores in the memory of a process, whose streams are written down. */
  #memory(actor: Actor, life: NodeLife): StoreBackend {
    const kernel = this.#kernel;
    const { published } = this.#store.truth;
    return {
      open: async context => {
        const recorded = new RecordedBroker(kernel, randomOf(actor), published, isFollowed);
        const broker = new HeardBroker(kernel, recorded, life);
        return { ...(await memoryStores().open(context)), engine: { broker } };
      },
    };
  }
}
