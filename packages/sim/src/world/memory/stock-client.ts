import { Centrifuge } from 'centrifuge';
import { Centrifuge as EarlierCentrifuge } from 'centrifuge-5.7.4';
import { WebSocket } from 'ws';
import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Stream } from '../../kernel/stream.ts';
import { type EndedSubscription, type Rest, type Seen, textOf } from '../../oracles/observations.ts';
import { NODE_HOST, NODE_PORT } from './node.ts';

type Subscription = ReturnType<Centrifuge['newSubscription']>;

/** A stock client over the WebSocket of Node.js, and what its application sees. */
export class StockClient {
  readonly #actor: Actor;
  readonly #kernel: Kernel;
  readonly #seen: (event: Seen) => void;
  readonly #ended: (end: EndedSubscription) => void;
  readonly #subscriptions: Subscription[] = [];
  #begunUs = 0;

  constructor(kernel: Kernel, actor: Actor, { seen, ended }: Pick<ClientsParts, 'seen' | 'ended'>) {
    this.#kernel = kernel;
    this.#actor = actor;
    this.#seen = seen;
    this.#ended = ended;
  }

  /** Connects and subscribes; called once, by its actor. */
  start(channels: readonly string[]): void {
    const stream = this.#actor.stream('client');
    const isEarlier = stream.chance(50);
    const Client = isEarlier ? EarlierCentrifuge : Centrifuge;
    const client = new Client(`ws://${NODE_HOST}:${NODE_PORT}/connection/websocket`, {
      websocket: this.#socketClass(isEarlier || stream.chance(50)),
      minReconnectDelay: stream.pick([50, 200, 500]),
      maxReconnectDelay: stream.pick([1000, 5000, 20_000]),
    });
    for (const channel of channels) this.#follow(client.newSubscription(channel) as Subscription);
    client.connect();
  }

  /** Where its subscriptions are now. */
  rests(): Rest[] {
    return this.#subscriptions.map(({ channel, state }) => ({
      client: this.#actor.name,
      channel,
      isSubscribed: state === 'subscribed',
    }));
  }

  #follow(subscription: Subscription): void {
    this.#subscriptions.push(subscription);
    const base = { client: this.#actor.name, channel: subscription.channel };
    let begunUs = 0;
    subscription.on('subscribing', ({ code }) => {
      begunUs = this.#kernel.nowUs;
      if (code >= SERVER_ENDS) this.#ended({ ...base, atUs: begunUs, code });
    });
    subscription.on('subscribed', ({ wasRecovering, recovered, streamPosition }) => {
      this.#seen({
        ...base,
        kind: 'subscribed',
        atUs: this.#kernel.nowUs,
        begunUs: Math.max(begunUs, this.#begunUs),
        epoch: streamPosition?.epoch ?? '',
        offset: streamPosition?.offset ?? 0,
        wasRecovering,
        recovered,
      });
    });
    subscription.on('publication', ({ offset = 0, data }) => {
      this.#seen({
        ...base,
        kind: 'publication',
        atUs: this.#kernel.nowUs,
        offset,
        text: textOf(data),
      });
    });
    subscription.subscribe();
  }

  /**
   * `ws` with masks from the client's stream: its own come from a pool of the whole process. One like a browser's delivers
   * nothing after `close()`. 5.7.4 needs that: it takes what a replaced connection still delivers for news.
   */
  #socketClass(isLikeBrowser: boolean): new (url: string, protocols?: string | string[]) => WebSocket {
    const stream = this.#actor.stream('masks');
    const begun = (): void => {
      this.#begunUs = this.#kernel.nowUs;
    };
    return class extends WebSocket {
      constructor(url: string, protocols?: string | string[]) {
        super(url, protocols, { generateMask: mask => stream.fill(mask), perMessageDeflate: false });
        begun();
      }

      override close(code?: number, reason?: string): void {
        if (isLikeBrowser) this.removeAllListeners('message');
        super.close(code, reason);
      }
    };
  }
}

/** The first code of an end that the service decided. */
const SERVER_ENDS = 2000;

interface ClientsParts {
  /** The stream of the world. */
  readonly draw: Stream;
  readonly most: number;
  readonly channels: readonly string[];
  readonly seen: (event: Seen) => void;
  readonly ended: (end: EndedSubscription) => void;
}

/** Starts 2 clients or more, each of which follows some of the channels. */
export function startClients(
  kernel: Kernel,
  { draw, most, channels, seen, ended }: ClientsParts,
): { readonly actor: Actor; readonly client: StockClient }[] {
  return Array.from({ length: draw.between(2, most) }, (_, i) => {
    const actor = kernel.actor(`client ${i}`);
    const client = new StockClient(kernel, actor, { seen, ended });
    const wanted = channels.filter(() => draw.chance(70));
    kernel.at(draw.between(100, 3000), actor, 'start', () => client.start(wanted));
    return { actor, client };
  });
}
