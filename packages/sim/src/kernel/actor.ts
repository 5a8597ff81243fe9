import { Stream } from './stream.ts';

/** An event that waits for its time. */
export interface Entry {
  readonly actor: Actor;
  readonly kind: string;
  readonly length: number;
  readonly digest: number;
  atUs: number;
  /** Order among events of the same moment. */
  order: number;
  /** Order among equal ones. */
  readonly serial: number;
  /** Undefined once it has run or was cancelled. */
  run: (() => void) | undefined;
}

/** A process of the world: a node, a client, a backend. It owns its timers, sockets and events. */
export class Actor {
  readonly name: string;
  state: 'running' | 'paused' | 'killed' = 'running';
  /** What its wall clock is ahead of virtual time. */
  clockOffsetMs = 0;
  /** Events that came due while it was paused, in their order. */
  readonly postponed: Entry[] = [];
  /** Called once when it is killed: its sockets end. */
  readonly onKill = new Set<() => void>();
  readonly immediates = new Fifo();
  readonly #seed: string;
  readonly #streams = new Map<string, Stream>();

  constructor(name: string, seed: string) {
    this.name = name;
    this.#seed = seed;
  }

  /** The random stream of one purpose: draws for one leave those for another alone. */
  stream(purpose: string): Stream {
    let stream = this.#streams.get(purpose);
    if (stream === undefined) {
      stream = new Stream(`${this.#seed}/${this.name}/${purpose}`);
      this.#streams.set(purpose, stream);
    }
    return stream;
  }
}

/** Keeps events in order that one sender gives to one receiver. */
export class Fifo {
  #atUs = -1;
  #order = 0;

  /** The order key of an event at this moment: above those of earlier events of the moment, else drawn. */
  order(atUs: number, draw: Stream): number {
    if (atUs === this.#atUs) this.#order += (1 - this.#order) * draw.fraction();
    else this.#order = draw.fraction();
    this.#atUs = atUs;
    return this.#order;
  }
}
