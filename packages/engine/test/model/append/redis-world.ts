import { type AppendCommand, type AppendResult, type Policy, RealtimeNode } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { openRedis, type RedisStore } from '@msg/redis';
import { Prng } from '../prng.ts';
import { Producers } from './producer.ts';
import { AppendReader, type Manner } from './reader.ts';
import { recording } from './recorder.ts';
import { Truth } from './truth.ts';
import type { RunResult } from './world.ts';

const MANNERS: readonly Manner[] = [
  { encoding: 'json', delta: true },
  { encoding: 'protobuf', delta: true },
  { encoding: 'json', delta: false },
];
const NODES = 2;
const SIZE = 8;
const SETTLE_MS = 30_000;
const turn = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

/** Two nodes on one Redis, their producers and readers, driven by a seed as far as time lets it. */
export class RedisWorld {
  readonly #address: string;
  readonly #seed: number;
  readonly #prng: Prng;
  readonly #prefix: string;
  readonly #truth = new Truth();
  readonly #nodes: RealtimeNode[] = [];
  readonly #stores: RedisStore[] = [];
  readonly #readers: AppendReader[] = [];
  #violation: string | null = null;
  #ordinary = 0;

  constructor(address: string, seed: number) {
    this.#address = address;
    this.#seed = seed;
    this.#prng = new Prng(seed);
    this.#prefix = `model${seed}`;
  }

  async play(steps: number): Promise<RunResult> {
    const windowMs = this.#prng.pick([0, 2]);
    const stopWatching = await this.#watch();
    for (let node = 0; node < NODES; node++) await this.#startNode(windowMs);
    const producers = this.#producers();
    for (let step = 0; step < steps && this.#violation === null; step++) await this.#step(producers);
    if (this.#violation === null) await this.#settle(producers);
    await Promise.all(this.#nodes.map(node => node.shutdown({ graceMs: 0 })));
    await stopWatching();
    for (const store of this.#stores) store.close();
    const sum = (pick: (reader: AppendReader) => number): number =>
      this.#readers.reduce((total, reader) => total + pick(reader), 0);
    return {
      violation: this.#violation,
      answers: producers.answers,
      recovered: sum(({ recovered }) => recovered),
      unrecovered: sum(({ unrecovered }) => unrecovered),
      seen: sum(({ seen }) => seen),
    };
  }

  /** Somebody sees everything, also when nobody reads. */
  async #watch(): Promise<() => Promise<void>> {
    const store = await openRedis({ address: this.#address });
    this.#stores.push(store);
    const { broker } = redisBackends([store], { prefix: this.#prefix });
    const watched = recording(broker, this.#truth, text => this.#report(text));
    const nothing = (): void => {};
    await watched.start({ publication: nothing, appended: nothing, join: nothing, leave: nothing });
    await watched.subscribe('c');
    return () => watched.stop();
  }

  async #startNode(windowMs: number): Promise<void> {
    const store = await openRedis({ address: this.#address });
    this.#stores.push(store);
    const append = { maxBytes: 1_000_000, orphanMs: 60_000, windowMs, fullWindowMs: 40 };
    const policy: Policy = {
      connect: () => ({ user: '' }),
      subscribe: () => ({ recovery: 'stream', delta: true }),
      streamOptions: () => ({ size: SIZE, ttlMs: 60_000, append }),
    };
    // A part of a message that is lost is a hole in the offsets: readers hear of it from the check of their positions.
    const checks = { presenceMs: 1000, positionCheckMs: 500, positionRecheckMs: 50 };
    const limits = { ...checks, pingMs: 0, queueBytes: 500_000, writeStallMs: 60_000 };
    const onError = (error: unknown): void => this.#report(`error: ${error}`);
    const { broker, presence, control } = redisBackends([store], { prefix: this.#prefix, onError });
    const recorded = recording(broker, this.#truth, text => this.#report(text));
    const node = new RealtimeNode({ policy, broker: recorded, presence, control, limits, onError });
    await node.start();
    const name = (index: number): string => `reader ${index} of node ${this.#nodes.length}`;
    for (const [index, manner] of MANNERS.entries())
      this.#readers.push(
        new AppendReader(name(index), manner, node, this.#truth, text => this.#report(text), true),
      );
    this.#nodes.push(node);
  }

  /** Each request goes to any node. */
  #producers(): Producers {
    const append = (channel: string, command: AppendCommand): Promise<AppendResult> =>
      this.#prng.pick(this.#nodes).append(channel, command);
    const longTexts = this.#prng.chance(20);
    return new Producers({ append }, this.#truth, this.#prng, longTexts, text => this.#report(text));
  }

  async #step(producers: Producers): Promise<void> {
    const roll = this.#prng.below(1000);
    const reader = this.#prng.pick(this.#readers);
    if (roll < 650) await producers.act();
    else if (roll < 710) await this.#publish();
    else if (roll < 830) reader.connect();
    else if (roll < 870) reader.hangUp();
    else if (roll < 890) reader.startOver();
    else if (roll < 920) reader.stopReading();
    else if (roll < 970) reader.readAgain();
    else if (roll < 980) await this.#nodes[0]?.removeHistory('c');
    else if (roll < 985) await this.#lose(producers);
    else if (roll < 990) await this.#interrupt();
    else await turn(this.#prng.below(4));
  }

  async #publish(): Promise<void> {
    const data = Buffer.from(JSON.stringify({ id: '', text: `text ${++this.#ordinary}` }));
    await this.#prng.pick(this.#nodes).publish('c', data, { delta: true });
  }

  /** A node loses its PUB/SUB connection, and messages with it; the one that sees everything, the oldest, stays. */
  async #interrupt(): Promise<void> {
    const [store] = this.#stores;
    const list = String(await store?.call('CLIENT', 'LIST', 'TYPE', 'PUBSUB'));
    const [, ...ids] = [...list.matchAll(/^id=(\d+) /gm)].map(([, id]) => Number(id)).sort((a, b) => a - b);
    if (ids.length > 0) await store?.call('CLIENT', 'KILL', 'ID', this.#prng.pick(ids));
  }

  /** The store loses the body of the open message, or the whole stream. */
  async #lose(producers: Producers): Promise<void> {
    const [store] = this.#stores;
    if (this.#prng.chance(25)) {
      await this.#nodes[0]?.removeStream('c');
      producers.lost();
    } else {
      await store?.call('DEL', `${this.#prefix}.append.body.c`);
      producers.messageLost();
    }
  }

  /** Everybody comes back and reads: then all have the open message as far as it goes. */
  async #settle(producers: Producers): Promise<void> {
    for (const reader of this.#readers) reader.readAgain();
    const end = Date.now() + SETTLE_MS;
    let behind: string | null = 'nobody looked';
    while (behind !== null && Date.now() < end && this.#violation === null) {
      for (const reader of this.#readers) reader.connect();
      await turn(20);
      behind = await this.#behind(producers);
    }
    if (behind !== null) this.#report(behind);
  }

  async #behind(producers: Producers): Promise<string | null> {
    const top = await this.#nodes[0]?.history('c', { limit: -1 });
    const { open } = producers;
    const written = open?.ops.join('') ?? '';
    const kept = Math.max(0, ...(top?.publications ?? []).map(({ offset }) => offset));
    for (const reader of this.#readers) {
      const { offset, epoch } = reader.position;
      // What was removed before it joined, nobody can give it; the truth knows of it all the same.
      const isLast = top?.offset === offset || (offset === kept && this.#truth.entry(epoch, offset + 1));
      if (epoch !== top?.epoch || !isLast) return `${reader.name} stops at ${offset}, not ${top?.offset}`;
      const unknown = reader.compareAll();
      if (unknown !== null) return `${reader.name} got ${unknown}, of which nobody knows`;
      const text = open === null ? written : (reader.texts.get(open.id)?.text ?? '');
      if (text !== written)
        return `${reader.name} ends with ${JSON.stringify(text)}, not ${JSON.stringify(written)}`;
    }
    return null;
  }

  #report(text: string): void {
    this.#violation ??= `seed ${this.#seed}: ${text}`;
  }
}
