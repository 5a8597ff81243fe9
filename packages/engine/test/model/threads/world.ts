import { MemoryBroker, TimerWheel } from '@msg/engine';
import { BodyWriter, createLink, FIRST_KIND, LinkEnd, VersionTable } from '@msg/engine/threads';
import { Payload } from '@msg/protocol';
import { BrokerKind } from '#src/broker/threads/kinds.ts';
import { ThreadedBroker } from '#src/broker/threads/threaded-broker.ts';
import { BodyReader } from '#src/threads/link/body.ts';
import { type Prng, seededRandom } from '../prng.ts';
import { STOPPED_CLOCK } from '../stopped-clock.ts';
import { bells } from './bell.ts';
import { Loop, WorldTime } from './loop.ts';
import { ModelThread } from './thread.ts';
import { SIZE, Truth } from './truth.ts';

export const CHANNELS = ['a', 'b', 'c'];
export const THREADS = 3;
/** Requests of the model itself: change what main keeps, and look at it. */
export const CHANGE = FIRST_KIND + 100;
export const LOOK = FIRST_KIND + 101;
export const SLOT = 0;

/** Lets promises settle. */
export function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

/** The world that plays: mutants put off work to later turns of its main. */
export let playing: World | null = null;

/** A process of main and three threads in one simulated machine, and what is true of it. */
export class World {
  readonly main: Loop;
  readonly threads: (ModelThread | undefined)[] = [];
  readonly versions = VersionTable.create(1, 1);
  violation: string | null = null;
  step = 0;
  /** The newest value of which a thread knows that main has it. */
  answered = 0;
  /** Publications that came to threads, gaps that main told them, and threads that ended. */
  received = 0;
  gaps = 0;
  deaths = 0;
  /** Positions that threads had at hand. */
  positions = 0;
  readonly #time = new WorldTime();
  readonly #prng: Prng;
  readonly #broker: ThreadedBroker;
  readonly #truths = new Map(CHANNELS.map(name => [name, new Truth()]));
  readonly #joined = new Map<string, number>();
  readonly #detaching: Promise<void>[] = [];
  readonly #detachOf: (() => Promise<void>)[] = [];
  readonly #open = new Set<{ close(): void }>();
  readonly #changesLate: boolean;
  readonly #sizes: { upBytes: number; downBytes: number; upSpillBytes: number; downSpillBytes: number };
  #generation = 0;
  #value = 0;
  #serial = 0;

  /** @param changesLate a mutant: main answers before it changes the slot */
  constructor(prng: Prng, changesLate: boolean) {
    playing = this;
    this.#prng = prng;
    this.#changesLate = changesLate;
    this.main = new Loop(this.#time);
    this.#sizes = {
      upBytes: prng.pick([4096, 4096, 16_384]),
      downBytes: prng.pick([4096, 4096, 16_384]),
      upSpillBytes: prng.pick([2000, 20_000, 200_000]),
      downSpillBytes: prng.pick([2000, 6000, 200_000]),
    };
    const broker = new MemoryBroker({
      clock: this.main,
      random: seededRandom(prng),
      wheel: new TimerWheel(STOPPED_CLOCK),
    });
    const publish = broker.publish.bind(broker);
    broker.publish = (channel, data, ...rest) => {
      const truth = this.truth(channel);
      truth.texts.push(Buffer.from(data.bytes).toString());
      truth.steps.push(this.step);
      return publish(channel, data, ...rest);
    };
    this.#broker = new ThreadedBroker(broker, this.main);
    const count = (by: number, { client }: { client: string }): void =>
      void this.#joined.set(client, (this.#joined.get(client) ?? 0) + by);
    void this.#broker.start({
      publication: (channel, _publication, { epoch }) => {
        this.truth(channel).epoch = epoch;
      },
      appended() {},
      join: (_channel, info) => count(1, info),
      leave: (_channel, info) => count(-1, info),
    });
    // The epochs are there before anything happens.
    for (const name of CHANNELS)
      void broker.history(name, { limit: 0 }, 300_000).then(({ epoch }) => {
        this.truth(name).epoch = epoch;
      });
    for (let i = 0; i < THREADS; i++) this.#start(i);
  }

  truth(channel: string): Truth {
    return this.#truths.get(channel) as Truth;
  }

  readonly report = (text: string): void => {
    this.violation ??= text;
  };

  /** A text that no other publication of the run equals. */
  text(length: number): string {
    return `${++this.#serial}:${'x'.repeat(length)}`;
  }

  publishOnMain(channel: string, length: number, delta: boolean): void {
    const data = new Payload(Buffer.from(this.text(length)));
    void this.#broker.publish(channel, data, { size: SIZE, ttlMs: 300_000 }, { delta });
  }

  trim(channel: string): void {
    const truth = this.truth(channel);
    truth.trimmedTo = truth.top;
    void this.#broker.removeHistory(channel);
  }

  advance(ms: number): void {
    this.#time.advance(ms);
  }

  /** A thread ends between two records; main notices it in one of its next turns, and a new one takes its place. */
  kill(number: number): void {
    const thread = this.threads[number];
    if (thread === undefined) return;
    this.deaths++;
    this.threads[number] = undefined;
    const written = thread.hasWritten ? [...thread.unconfirmed] : [];
    thread.loop.end();
    this.main.post(() => {
      const ended = this.#detachOf[number]?.().then(() => {
        thread.close();
        this.#open.delete(thread);
        for (const [text, channel] of written)
          if (!this.truth(channel).texts.includes(text))
            this.report(`what thread ${number} had written was not published`);
        this.main.post(() => this.#start(number), this.#prng.below(4));
      });
      if (ended !== undefined) this.#detaching.push(ended);
    }, this.#prng.below(4));
  }

  /** Everything that is under way arrives; then all threads end. */
  async calm(): Promise<void> {
    const loops = (): Loop[] => [this.main, ...this.threads.flatMap(thread => thread?.loop ?? [])];
    for (let round = 0; round < 8; round++) {
      for (let turn = 0; turn < 400 && (turn < 4 || loops().some(loop => !loop.isIdle)); turn++) {
        for (const loop of loops()) {
          loop.stalledTurns = 0;
          loop.turn();
        }
        await settled();
      }
      this.advance(250);
    }
    for (const thread of this.threads) thread?.checkComplete();
    for (let number = 0; number < THREADS; number++) this.kill(number);
    for (let turn = 0; turn < 6; turn++) {
      this.main.turn();
      await settled();
    }
    await Promise.all(this.#detaching);
    if (this.#broker.channelCount > 0)
      this.report(`${this.#broker.channelCount} channels have interest left`);
    for (const [client, joins] of this.#joined)
      if (joins > 0) this.report(`${client} has joined and not left`);
  }

  /** Closes the links of a world whose run broke off. */
  close(): void {
    for (const end of this.#open) end.close();
  }

  #start(number: number): void {
    if (this.threads[number] !== undefined) return;
    const loop = new Loop(this.#time);
    const { main, thread: memory } = createLink(this.#sizes);
    const [mainBell, bell] = bells(this.main, loop, () => this.#prng.below(4));
    const onBroken = (error: Error): void => this.report(`main: the link is broken: ${error.message}`);
    const end = new LinkEnd(main, {
      clock: this.main,
      bell: mainBell,
      onBroken,
      onError: error => this.report(`error: ${error}`),
    });
    const thread = new ModelThread(this, `thread ${number}.${++this.#generation}`, loop, { memory, bell });
    const attached = this.#broker.attach(number + 1, this.#watched(end, thread));
    end.handle(CHANGE, () => {
      this.#value++;
      if (this.#changesLate) this.main.post(() => void this.versions.change(SLOT), 2);
      else this.versions.change(SLOT);
      return this.#valueBody();
    });
    end.handle(LOOK, () => this.#valueBody());
    this.#open.add(end).add(thread);
    this.threads[number] = thread;
    this.#detachOf[number] = async () => {
      end.readRest();
      await settled();
      end.close();
      this.#open.delete(end);
      this.gaps += attached.gaps;
      await this.#broker.detach(number + 1);
    };
  }

  /** Notes where a stream was when main had answered a subscribe. */
  #watched(end: LinkEnd, thread: ModelThread): LinkEnd {
    const handle = end.handle.bind(end);
    end.handle = (kind, handler) => {
      if (kind !== BrokerKind.subscribe) return handle(kind, handler);
      handle(kind, async (body, record) => {
        const channel = new BodyReader(body).text();
        const followed = thread.followed.get(channel);
        const result = await handler(body, record);
        if (followed !== undefined) followed.answeredAt = this.truth(channel).top;
        return result;
      });
    };
    return end;
  }

  #valueBody(): Uint8Array {
    return new BodyWriter().u32(this.#value).copy();
  }
}
