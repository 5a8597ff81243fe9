import { RealtimeNode } from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import { Stream } from '../kernel/stream.ts';
import { FormalClient } from './client.ts';
import { CHANNEL, type HeldRead, NodeBroker } from './node-broker.ts';
import { epochName, FormalStore, type Pub } from './store.ts';
import type { Action, State } from './trace.ts';

/** Short times, so that a check needs little of the clock. */
const LIMITS = { presenceMs: 200, positionCheckMs: 300, positionRecheckMs: 100, pingMs: 0 };
/** Longer than a check takes: quiet time, tick, jitter after a lost connection, second look, and rounding. */
const CHECK_MS = 1600;
/** Turns of the event loop in which everything that a step sets off has happened. */
const TURNS = 4;

/** A real node of the engine, with a clock of its own: what one node checks, another does not. */
class FormalNode {
  readonly broker: NodeBroker;
  readonly clock = new ManualClock();
  readonly node: RealtimeNode;

  constructor(
    number: number,
    store: FormalStore,
    published: (pub: Pub) => void,
    onError: (error: unknown) => void,
  ) {
    const stream = new Stream(`node ${number}`);
    this.broker = new NodeBroker(store, published);
    this.node = new RealtimeNode({
      policy: {
        connect: () => ({ user: 'reader' }),
        subscribe: () => ({ recovery: 'stream' }),
        streamOptions: () => ({ size: 1, ttlMs: 1 }), // the store of the world has its own window
      },
      clock: this.clock,
      random: {
        fraction: () => stream.fraction(),
        bytes: length => stream.bytes(length),
        uuid: () => stream.uuid(),
      },
      broker: this.broker,
      limits: LIMITS,
      onError,
    });
  }
}

/** Two real nodes on one store, and two clients: the world of recovery.qnt in the code. */
export class FormalWorld {
  readonly #store = new FormalStore();
  readonly #nodes: readonly FormalNode[];
  readonly #clients = [new FormalClient(), new FormalClient()];
  /** Clients whose subscribe has not asked for its read, by node, in the order in which they came. */
  readonly #asking: FormalClient[] = [];
  /** What a node reported as an error; there must be none. */
  readonly errors: string[] = [];

  constructor() {
    const published = (pub: Pub): void => {
      for (const { broker } of this.#nodes) if (broker.listening) broker.wire = [...broker.wire, pub];
    };
    const onError = (error: unknown): void => {
      this.errors.push(String(error));
    };
    this.#nodes = [1, 2].map(number => new FormalNode(number, this.#store, published, onError));
  }

  async start(): Promise<void> {
    for (const { node } of this.#nodes) await node.start();
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.leave();
    for (const { broker, node } of this.#nodes) {
      broker.confirm();
      await node.shutdown();
    }
  }

  get state(): State {
    const { epoch, texts, first } = this.#store.contents;
    return {
      epoch,
      texts,
      first,
      listening: [1, 2].filter(number => this.#broker(number).listening),
      wire: this.#nodes.map(({ broker }) => broker.wire.length),
      clients: this.#clients.map(client => client.state),
    };
  }

  /** Whether the step can be taken, as the model says it. */
  can({ name, client, node }: Action): boolean {
    const { phase } = this.#client(client);
    const { pending, listening, wire } = this.#broker(node);
    switch (name) {
      case 'failOver':
        return this.#store.replicaLags;
      case 'subscribe':
        return phase === 'off';
      case 'confirm':
        return pending;
      case 'read':
        return phase === 'reading';
      case 'settle':
        return phase === 'read';
      case 'leave':
        return phase !== 'off';
      case 'deliver':
      case 'lose':
        return wire.length > 0;
      case 'check':
      case 'reconnect':
        return listening;
      default:
        return true;
    }
  }

  /** Takes a step, and waits for everything that it sets off. */
  async take({ name, client, node }: Action): Promise<void> {
    switch (name) {
      case 'publish':
        await this.#node(1).node.publish(CHANNEL, Buffer.from(String(this.#store.nextText)));
        break;
      case 'trim':
      case 'expire':
      case 'flush':
      case 'replicate':
      case 'failOver':
        this.#store[name]();
        break;
      case 'subscribe':
        this.#asking.push(this.#client(client));
        void this.#client(client).subscribe(node, this.#node(node).node);
        break;
      case 'read':
        this.#client(client).read?.take();
        break;
      case 'settle':
        this.#client(client).read?.answer();
        break;
      case 'leave':
        this.#client(client).leave();
        break;
      case 'confirm':
      case 'deliver':
      case 'lose':
        this.#broker(node)[name]();
        break;
      case 'reconnect':
        this.#broker(node).reconnect();
        await this.#check(node);
        break;
      case 'check':
        await this.#check(node);
        break;
      default:
        throw new Error(`the world has no step ${name}`);
    }
    for (let i = 0; i < TURNS; i++) await turn();
    this.#giveReads();
  }

  /**
   * The node compares positions with the store; one that is ahead of it lets the node ask for a new epoch. The others meet
   * that at their next check, so the stream gets it when this one is over.
   */
  async #check(number: number): Promise<void> {
    const { broker, clock } = this.#node(number);
    broker.toRenew = null;
    await clock.advance(CHECK_MS);
    if (broker.toRenew === epochName(this.#store.contents.epoch)) this.#store.renew();
  }

  /** Reads come in the order of the subscribes of their node. */
  #giveReads(): void {
    for (const [i, { broker }] of this.#nodes.entries()) {
      for (const read of broker.newReads.splice(0)) this.#nextAsking(i + 1, read);
    }
    // Those whose subscribe ended do not ask any more.
    const asking = this.#asking.splice(0).filter(({ phase }) => phase === 'joining');
    this.#asking.push(...asking);
  }

  #nextAsking(node: number, read: HeldRead): void {
    const client = this.#asking.find(asking => asking.node === node && asking.phase === 'joining');
    if (client === undefined) this.errors.push('a read that no subscribe waits for');
    else client.read = read;
  }

  #client(number: number): FormalClient {
    return this.#clients[number - 1] as FormalClient; // steps name clients and nodes 1 and 2
  }

  #node(number: number): FormalNode {
    return this.#nodes[number - 1] as FormalNode;
  }

  #broker(number: number): NodeBroker {
    return this.#node(number).broker;
  }
}

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
