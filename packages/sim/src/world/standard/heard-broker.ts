import type { Broker } from '@msg/engine';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import { textOf } from '../../oracles/observations.ts';
import type { NodeLife } from './losses.ts';

type Events = Parameters<Broker['start']>[0];

/** Who is told what a node listens to and hears. */
export type Listener = Pick<NodeLife, 'listens' | 'leaves' | 'heard'>;

/** The broker of a node, which writes down what the node listens to and hears. */
export class HeardBroker implements Broker {
  readonly #kernel: Pick<WorldKernel, 'nowUs'>;
  readonly #inner: Broker;
  readonly #life: Listener;

  constructor(kernel: Pick<WorldKernel, 'nowUs'>, inner: Broker, life: Listener) {
    this.#kernel = kernel;
    this.#inner = inner;
    this.#life = life;
  }

  get appends(): Broker['appends'] {
    return this.#inner.appends;
  }

  start(events: Events): Promise<void> {
    return this.#inner.start({
      ...events,
      publication: (...message) => {
        const [channel, { data }, { offset, epoch }] = message;
        const text = textOf(JSON.parse(Buffer.from(data.bytes).toString()));
        this.#life.heard({ channel, epoch, offset, text }, this.#kernel.nowUs);
        events.publication(...message);
      },
    });
  }

  stop(): Promise<void> {
    return this.#inner.stop();
  }

  async subscribe(channel: string): Promise<void> {
    await this.#inner.subscribe(channel);
    this.#life.listens(channel, this.#kernel.nowUs);
  }

  unsubscribe(channel: string): Promise<void> {
    this.#life.leaves(channel, this.#kernel.nowUs);
    return this.#inner.unsubscribe(channel);
  }

  publish(...args: Parameters<Broker['publish']>): ReturnType<Broker['publish']> {
    return this.#inner.publish(...args);
  }

  publishJoin(...args: Parameters<Broker['publishJoin']>): Promise<void> {
    return this.#inner.publishJoin(...args);
  }

  publishLeave(...args: Parameters<Broker['publishLeave']>): Promise<void> {
    return this.#inner.publishLeave(...args);
  }

  history(...args: Parameters<Broker['history']>): ReturnType<Broker['history']> {
    return this.#inner.history(...args);
  }

  removeHistory(channel: string): Promise<void> {
    return this.#inner.removeHistory(channel);
  }

  renewEpoch(channel: string, seen: string): Promise<void> {
    return this.#inner.renewEpoch(channel, seen);
  }

  removeStream(channel: string): Promise<void> {
    return this.#inner.removeStream(channel);
  }
}
