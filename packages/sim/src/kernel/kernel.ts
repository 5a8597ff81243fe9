import { Actor, type Entry, Fifo } from './actor.ts';
import { EventLog, type LoggedEvent } from './event-log.ts';
import { Queue } from './queue.ts';
import { Stream } from './stream.ts';

/** The macrotask queue of Node.js itself, taken before anything replaces it. */
const realSetImmediate = globalThis.setImmediate;

/** Events that one trip through the real event loop runs. */
const BATCH = 256;
/** Events at one virtual moment above which a run stands still. */
const LIVELOCK = 100_000;

/** The simulator is at fault, not what it runs. */
export class SimulatorError extends Error {
  override readonly name = 'SimulatorError';
}

/** An event to schedule. */
export interface NewEvent {
  readonly kind: string;
  readonly atUs: number;
  /** Order among events of the same moment: [0, 1) input, [1, 2) immediates; default drawn from [0, 1). */
  readonly order?: number;
  readonly length?: number;
  readonly digest?: number;
}

export interface KernelOptions {
  readonly seed: string;
  readonly record?: (event: LoggedEvent) => void;
  /** Default: true. Without hashes events are only counted. */
  readonly isHashed?: boolean;
}

/**
 * The event queue. Each event runs in one real `setImmediate` callback, so that Node.js empties its queues of ticks and
 * microtasks after it, as in production. Time jumps to the next event.
 */
export class Kernel {
  readonly seed: string;
  readonly log: EventLog;
  nowUs = 0;
  /** Whose event runs. */
  current: Actor | undefined;
  /** What ended the run early. */
  failure: unknown;
  /** Called once after the last event. */
  readonly onEnd = new Set<() => void>();
  readonly #actors = new Map<string, Actor>();
  /** How often a name was killed: its next actor draws other numbers. */
  readonly #lives = new Map<string, number>();
  readonly #queue = new Queue();
  readonly #orders: Stream;
  #serial = 0;
  #atThisMoment = 0;
  #endUs = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor({ seed, record, isHashed }: KernelOptions) {
    this.seed = seed;
    this.log = new EventLog(record, isHashed);
    this.#orders = new Stream(`${seed}/order`);
  }

  /** The actor of a name, made at the first call. */
  actor(name: string): Actor {
    let actor = this.#actors.get(name);
    if (actor === undefined) {
      actor = new Actor(name, `${this.seed}/life ${this.#lives.get(name) ?? 0}`);
      this.#actors.set(name, actor);
    }
    return actor;
  }

  /** A random stream of the world itself. */
  stream(purpose: string): Stream {
    return new Stream(`${this.seed}/${purpose}`);
  }

  get orders(): Stream {
    return this.#orders;
  }

  /**
   * The actor whose event runs.
   * @throws SimulatorError outside of a run
   */
  owner(what: string): Actor {
    if (this.current === undefined) throw new SimulatorError(`${what} outside of every actor`);
    return this.current;
  }

  /** Puts an event of an actor into the queue. A killed actor has none. */
  schedule(actor: Actor, event: NewEvent, run: () => void): Entry {
    const { kind, atUs, order = this.#orders.fraction(), length = 0, digest = 0 } = event;
    const entry: Entry = {
      actor,
      kind,
      length,
      digest,
      atUs: Math.max(atUs, this.nowUs),
      order,
      serial: this.#serial++,
      run,
    };
    if (actor.state !== 'killed') this.#queue.push(entry);
    return entry;
  }

  cancel(entry: Entry): void {
    entry.run = undefined;
  }

  /** Lets an actor do something at a moment of the world. */
  at(ms: number, actor: Actor, kind: string, run: () => void): void {
    this.schedule(actor, { kind, atUs: Math.round(ms * 1000) }, run);
  }

  /** Discards the actor's events; its sockets end as the network decides. A new actor of the name may follow. */
  kill(actor: Actor): void {
    actor.state = 'killed';
    actor.postponed.length = 0;
    this.#queue.remove(entry => entry.actor === actor);
    this.#actors.delete(actor.name);
    this.#lives.set(actor.name, (this.#lives.get(actor.name) ?? 0) + 1);
    for (const end of actor.onKill) end();
    actor.onKill.clear();
  }

  /** Postpones the actor's events until {@link resume}. */
  pause(actor: Actor): void {
    if (actor.state === 'running') actor.state = 'paused';
  }

  resume(actor: Actor): void {
    if (actor.state !== 'paused') return;
    actor.state = 'running';
    const order = new Fifo();
    for (const entry of actor.postponed.splice(0)) {
      entry.atUs = this.nowUs;
      entry.order = order.order(this.nowUs, this.#orders);
      this.#queue.push(entry);
    }
  }

  /** Ends the run after the present event. */
  stop(failure?: unknown): void {
    this.#stopped = true;
    this.failure ??= failure;
  }

  /** Plays until nothing is left, the moment given has passed, or the run is stopped. */
  run(untilMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.#endUs = untilMs * 1000;
    return new Promise(resolve => this.#trip(resolve));
  }

  #trip(resolve: () => void): void {
    let left = BATCH;
    const turn = (): void => {
      if (!this.#stopped) this.#step();
      if (--left > 0) return; // `current` stays: ticks and microtasks of the last event follow
      if (!this.#stopped) this.#trip(resolve);
      else realSetImmediate(() => this.#leave(resolve));
    };
    for (let i = 0; i < BATCH; i++) realSetImmediate(turn);
  }

  #leave(resolve: () => void): void {
    this.current = undefined;
    for (const end of this.onEnd) end();
    this.onEnd.clear();
    resolve();
  }

  #step(): void {
    const entry = this.#due();
    this.current = undefined;
    if (entry === undefined) {
      this.#stopped = true;
      return;
    }
    const { actor, kind, length, digest, run } = entry;
    this.#advance(entry.atUs);
    if (this.#stopped) return;
    this.log.append({ atUs: this.nowUs, actor: actor.name, kind, length, digest });
    this.current = actor;
    entry.run = undefined;
    try {
      run?.();
    } catch (error) {
      this.stop(error);
    }
  }

  #advance(atUs: number): void {
    if (atUs > this.nowUs) {
      this.nowUs = atUs;
      this.#atThisMoment = 0;
    } else if (++this.#atThisMoment > LIVELOCK) {
      this.stop(new SimulatorError(`livelock: ${LIVELOCK} events at ${this.nowUs / 1000} ms`));
    }
  }

  /** The next event that can run; undefined at the end. */
  #due(): Entry | undefined {
    for (;;) {
      const entry = this.#queue.first();
      if (entry === undefined || entry.atUs > this.#endUs) return undefined;
      this.#queue.pop();
      if (entry.run === undefined) continue;
      if (entry.actor.state === 'running') return entry;
      entry.actor.postponed.push(entry); // paused: the events of a killed one were removed
    }
  }
}
