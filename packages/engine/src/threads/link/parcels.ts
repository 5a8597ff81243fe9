import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { type RingMemory, TAKEN_WORD } from './ring-memory.ts';
import { LinkBroken } from './ring-reader.ts';

/** Longest body inside a ring (threads 3.1). */
export const LONGEST_INLINE = 65_536;
/** Bytes of parcels that are posted and not taken yet. */
const MOST_POSTED = 32 * 1024 * 1024;

/** A body in shared memory of its own: several links may post it without copying it. */
export function sharedBody(body: Uint8Array): Uint8Array {
  if (body.buffer instanceof SharedArrayBuffer && body.length === body.buffer.byteLength) return body;
  const shared = new Uint8Array(new SharedArrayBuffer(body.length));
  shared.set(body);
  return shared;
}

/** Bodies that are too long for a ring: posted before the record that names them, so that their order holds. */
export class ParcelSender {
  readonly #port: MessagePort;
  readonly #memory: RingMemory;
  #posted = 0;

  constructor(port: MessagePort, memory: RingMemory) {
    this.#port = port;
    this.#memory = memory;
  }

  /** True when so many bytes may be posted; one parcel may always be on its way. */
  fits(bytes: number): boolean {
    const waiting = (this.#posted - Atomics.load(this.#memory.words, TAKEN_WORD)) >>> 0;
    return waiting === 0 || waiting + bytes <= MOST_POSTED;
  }

  post(body: Uint8Array): void {
    this.#port.postMessage(sharedBody(body).buffer);
    this.#posted = (this.#posted + body.length) | 0;
  }
}

/** The reading end: the parcel of a record is there when the record is. */
export class ParcelReceiver {
  readonly #port: MessagePort;
  readonly #memory: RingMemory;

  constructor(port: MessagePort, memory: RingMemory) {
    this.#port = port;
    this.#memory = memory;
  }

  /** The next parcel, in memory of its own. @throws LinkBroken */
  take(): Uint8Array {
    const message = receiveMessageOnPort(this.#port)?.message;
    if (!(message instanceof SharedArrayBuffer))
      throw new LinkBroken('a record names a parcel that was not posted');
    Atomics.add(this.#memory.words, TAKEN_WORD, message.byteLength);
    return new Uint8Array(message).slice();
  }
}
