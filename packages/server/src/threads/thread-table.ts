import { webtransport } from '@msg/engine';

const WORDS = 16; // a cache line for each thread
const OPEN = 0;
const TAKEN = 1;
const BEATS = 2;
/** In the row of main. */
const WEBTRANSPORT_PORT = 3;
/** Main is row 0. */
const ROWS = 33;

/** What threads count for each other in shared memory: no message is needed to know it. */
export class ThreadTable {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(ROWS * WORDS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  /** The UDP port of the WebTransport listener, which one thread has; 0: no thread. */
  get webtransportPort(): number {
    return Atomics.load(this.#words, WEBTRANSPORT_PORT);
  }

  set webtransportPort(port: number) {
    Atomics.store(this.#words, WEBTRANSPORT_PORT, port);
  }

  /** Ports of the listeners of transports, by the name of the transport. */
  get listeners(): ReadonlyMap<string, number> {
    const { webtransportPort: port } = this;
    return new Map(port === 0 ? [] : [[webtransport.name, port]]);
  }

  /** The counters of a thread. */
  row(number: number): ThreadRow {
    return new ThreadRow(this.#words.subarray(number * WORDS, (number + 1) * WORDS));
  }
}

/** The counters of one thread. They wrap: compare by difference. */
export class ThreadRow {
  readonly #words: Int32Array;

  constructor(words: Int32Array) {
    this.#words = words;
  }

  /** Open connections. */
  get open(): number {
    return Atomics.load(this.#words, OPEN);
  }

  /** Connections that the thread took over from main so far. */
  get taken(): number {
    return Atomics.load(this.#words, TAKEN);
  }

  /** Beats of the thread's heart. */
  get beats(): number {
    return Atomics.load(this.#words, BEATS);
  }

  opened(): void {
    Atomics.add(this.#words, OPEN, 1);
  }

  closed(): void {
    Atomics.sub(this.#words, OPEN, 1);
  }

  took(): void {
    Atomics.add(this.#words, TAKEN, 1);
  }

  beat(): void {
    Atomics.add(this.#words, BEATS, 1);
  }

  /** For the next thread of this number. */
  clear(): void {
    for (const word of [OPEN, TAKEN, BEATS]) Atomics.store(this.#words, word, 0);
  }
}
