import { ASLEEP_WORD, type RingMemory } from './ring-memory.ts';

/** How the two ends of a link wake each other. Injectable, so that a simulation decides when a bell wakes its end. */
export interface Bell {
  /** Calls `wake` once when the other end rings; the end announces that it sleeps, and looks once more afterwards. */
  sleep(wake: () => void): void;
  /** Wakes the other end, if it sleeps. */
  ring(): void;
  /** Wakes its end no more. */
  close(): void;
}

/** Bells over `Atomics.waitAsync` on a word of the reader's ring. */
export class SharedBell implements Bell {
  readonly #incoming: RingMemory;
  readonly #outgoing: RingMemory;
  #wake: (() => void) | null = null;
  #isClosed = false;

  /** `incoming` is the ring that this end reads. */
  constructor(incoming: RingMemory, outgoing: RingMemory) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  sleep(wake: () => void): void {
    if (this.#wake !== null || this.#isClosed) return;
    this.#wake = wake;
    Atomics.store(this.#incoming.words, ASLEEP_WORD, 1);
    const waiting = Atomics.waitAsync(this.#incoming.words, ASLEEP_WORD, 1);
    if (waiting.async) void waiting.value.then(() => this.#awake());
    else queueMicrotask(() => this.#awake());
  }

  ring(): void {
    if (Atomics.exchange(this.#outgoing.words, ASLEEP_WORD, 0) === 1)
      Atomics.notify(this.#outgoing.words, ASLEEP_WORD);
  }

  close(): void {
    this.#isClosed = true;
    Atomics.store(this.#incoming.words, ASLEEP_WORD, 0);
    Atomics.notify(this.#incoming.words, ASLEEP_WORD);
  }

  #awake(): void {
    const wake = this.#wake;
    this.#wake = null;
    if (!this.#isClosed) wake?.();
  }
}
