import { type Actor, Fifo } from '../kernel/actor.ts';
import { digestOf } from '../kernel/event-log.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Stream } from '../kernel/stream.ts';

/** What one direction of a connection does to bytes. */
export interface LinkTraits {
  readonly latencyUs: number;
  /** Drawn for each piece and added to the latency. */
  readonly jitterUs: number;
  /** Bytes that may be under way or unread. */
  readonly windowBytes: number;
  /** Of 100 writes so many are cut at drawn places. */
  readonly cutPercent: number;
}

/** The actor that answers for machines whose processes cannot. */
export const MACHINES = 'machines';

/** What the receiving end of a direction does. */
export interface Receiver {
  readonly actor: Actor;
  /** Bytes arrived and its process is gone: its machine resets the connection. */
  arrivedForNone(): void;
  connected(): void;
  arrived(bytes: Uint8Array): void;
  ended(): void;
  failed(code: string): void;
}

interface Waiting {
  bytes: Uint8Array;
  readonly accepted: () => void;
}

/**
 * One direction of a connection: a FIFO of pieces with latency. Bytes beyond the window wait at the sender, whose write is
 * accepted once its last byte fits.
 */
export class Pipe {
  readonly #kernel: Kernel;
  readonly #sender: Actor;
  readonly #traits: LinkTraits;
  readonly #draw: Stream;
  readonly #fifo = new Fifo();
  readonly #waiting: Waiting[] = [];
  #receiver: Receiver | undefined;
  #unread = 0;
  #arrivesUs = 0;
  /** When the last bytes arrive. */
  #bytesArriveUs = 0;
  #stalledUntilUs = 0;
  #isClosed = false;
  #isReset = false;
  #isEnding = false;
  #wakes = false;

  constructor(kernel: Kernel, sender: Actor, traits: LinkTraits, draw: Stream) {
    this.#kernel = kernel;
    this.#sender = sender;
    this.#traits = traits;
    this.#draw = draw;
  }

  /** Nothing more is sent on it. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  to(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  write(bytes: Uint8Array, accepted: () => void): void {
    if (this.#isClosed) {
      accepted();
      return;
    }
    this.#waiting.push({ bytes, accepted });
    this.#pump();
  }

  /** FIN, after everything that was written. */
  end(): void {
    this.#isEnding = true;
    this.#pump();
  }

  connected(): void {
    this.#deliver('connected', 0, 0, receiver => receiver.connected());
  }

  /** RST, after FIN too: nothing follows, and what waits is lost. */
  reset(code = 'ECONNRESET'): void {
    if (this.#isReset) return;
    this.#isReset = true;
    this.#isClosed = true;
    this.#waiting.length = 0; // their stream is destroyed, or will be when the sender hears of it
    this.#deliver('reset', 0, 0, receiver => receiver.failed(code));
  }

  /** Nothing arrives before this moment; infinite: never again. What is under way still does. */
  stall(untilUs: number): void {
    this.#stalledUntilUs = Math.max(this.#stalledUntilUs, untilUs);
  }

  /** The receiver's process is gone: bytes on their way reach none. */
  receiverKilled(): void {
    const atUs = this.#bytesArriveUs;
    if (atUs > this.#kernel.nowUs) this.#forNone(atUs);
  }

  #forNone(atUs: number): void {
    const machines = this.#kernel.actor(MACHINES);
    this.#kernel.schedule(machines, { kind: 'net.unclaimed', atUs }, () => this.#receiver?.arrivedForNone());
  }

  /** The receiver has taken bytes: a sender that waits for room goes on a latency later. */
  consumed(bytes: number): void {
    this.#unread -= bytes;
    if (this.#waiting.length === 0 || this.#wakes) return;
    this.#wakes = true;
    const atUs = this.#kernel.nowUs + this.#traits.latencyUs;
    this.#kernel.schedule(this.#sender, { kind: 'net.room', atUs }, () => {
      this.#wakes = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const room = this.#traits.windowBytes - this.#unread;
      if (room <= 0) return;
      this.#send(next.bytes.subarray(0, room));
      next.bytes = next.bytes.subarray(room);
      if (next.bytes.length > 0) return;
      this.#waiting.shift();
      next.accepted();
    }
    if (!this.#isEnding || this.#isClosed) return;
    this.#isClosed = true;
    this.#deliver('end', 0, 0, receiver => receiver.ended());
  }

  #send(bytes: Uint8Array): void {
    this.#unread += bytes.length;
    let rest = Uint8Array.from(bytes); // the writer may use its buffer again
    if (rest.length > 1 && this.#draw.chance(this.#traits.cutPercent)) {
      const cuts = this.#draw.between(1, 3);
      for (let i = 0; i < cuts && rest.length > 1; i++) {
        const at = this.#draw.between(1, rest.length - 1);
        this.#piece(rest.subarray(0, at));
        rest = rest.subarray(at);
      }
    }
    if (rest.length > 0) this.#piece(rest);
  }

  #piece(bytes: Uint8Array): void {
    this.#deliver('data', bytes.length, digestOf(bytes), receiver => receiver.arrived(bytes));
    this.#bytesArriveUs = this.#arrivesUs;
    if (this.#receiver?.actor.state === 'killed') this.receiverKilled();
  }

  /** Schedules an arrival behind all earlier ones. */
  #deliver(kind: string, length: number, digest: number, run: (receiver: Receiver) => void): void {
    const receiver = this.#receiver;
    const { latencyUs, jitterUs } = this.#traits;
    const fromUs = Math.max(this.#kernel.nowUs, this.#stalledUntilUs);
    if (receiver === undefined || fromUs === Number.POSITIVE_INFINITY) return;
    this.#arrivesUs = Math.max(this.#arrivesUs, fromUs + latencyUs + this.#draw.below(jitterUs + 1));
    const atUs = this.#arrivesUs;
    const order = this.#fifo.order(atUs, this.#kernel.orders);
    this.#kernel.schedule(receiver.actor, { kind: `net.${kind}`, atUs, order, length, digest }, () =>
      run(receiver),
    );
  }
}
