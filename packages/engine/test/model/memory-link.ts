import type { RealtimeNode } from '@msg/engine';
import { jsonCodec, protobufCodec, type ServerCodec } from '@msg/protocol';
import type { ClientCommand, Link, LinkEvents } from './link.ts';
import { jsonWire, protobufWire, type Wire } from './wire.ts';

type Transport = Parameters<RealtimeNode['open']>[0];
type TransportEvents = ReturnType<RealtimeNode['open']>;
type Framing = Transport['framing'];

const NOTHING = new Uint8Array(0);
const HEADER_BYTES = 4;

/** Each frame begins with its length, as a WebSocket frame does: long ones are written in pieces. */
function header(bytes: number): Uint8Array {
  const length = Buffer.alloc(HEADER_BYTES);
  length.writeUInt32BE(bytes);
  return length;
}

function framing(key: number, codec: ServerCodec): Framing {
  const envelope = (bytes: number) => ({ before: header(bytes), after: NOTHING });
  const frame = (messages: readonly Uint8Array[]): Uint8Array => {
    const content = codec.join(messages);
    return Buffer.concat([header(content.length), content]);
  };
  return { key, codec, frame, envelope };
}

const FRAMINGS = { json: framing(5, jsonCodec), protobuf: framing(6, protobufCodec) } as const;
const WIRES: Readonly<Record<'json' | 'protobuf', Wire>> = { json: jsonWire, protobuf: protobufWire };

/** A connection without a network: what the server writes is read at once, or when the client reads again. */
export class MemoryLink implements Link, Transport {
  readonly info: Transport['info'];
  readonly framing: Framing;
  readonly emulated = false;
  readonly announcesDisconnect = false;
  readonly ping = null;
  readonly #wire: Wire;
  readonly #client: LinkEvents;
  readonly #session: TransportEvents;
  /** Written and not read yet. */
  #unread: Uint8Array[] = [];
  /** Read, but not yet a whole frame. */
  #partial: Buffer = Buffer.alloc(0);
  /** Sent while the server did not read. */
  #unsent: Uint8Array[] = [];
  #clientReads = true;
  #serverReads = true;
  #ended = false;

  constructor(node: RealtimeNode, encoding: 'json' | 'protobuf', client: LinkEvents) {
    this.info = { name: 'websocket', encoding, remoteAddress: '', headers: {} };
    this.framing = FRAMINGS[encoding];
    this.#wire = WIRES[encoding];
    this.#client = client;
    this.#session = node.open(this);
  }

  // The client's side:

  send(commands: readonly ClientCommand[]): void {
    if (this.#ended) return;
    const frame = this.#wire.encode(commands);
    if (this.#serverReads) this.#session.received(frame);
    else this.#unsent.push(frame);
  }

  stopReading(): void {
    this.#clientReads = false;
  }

  readAgain(): void {
    if (this.#clientReads) return;
    this.#clientReads = true;
    this.#readAll();
    if (!this.#ended) this.#session.drained();
  }

  /** Takes at most so many bytes, while it does not read by itself; the server goes on once it has taken all. */
  readSome(bytes: number): void {
    if (this.#ended || this.#unread.length === 0) return;
    const waiting = Buffer.concat(this.#unread);
    const rest = waiting.subarray(bytes);
    this.#unread = [waiting.subarray(0, bytes)];
    this.#readAll();
    if (rest.length > 0) this.#unread.push(rest);
    else this.#session.drained();
  }

  hangUp(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unread = [];
    this.#session.transportClosed();
  }

  // The server's side:

  write(bytes: Uint8Array): boolean {
    this.#unread.push(bytes);
    if (!this.#clientReads) return false;
    this.#readAll();
    return true;
  }

  pause(): void {
    this.#serverReads = false;
  }

  resume(): void {
    this.#serverReads = true;
    while (this.#serverReads && !this.#ended) {
      const frame = this.#unsent.shift();
      if (frame === undefined) return;
      this.#session.received(frame);
    }
  }

  bufferedBytes(): number {
    return this.#unread.reduce((sum, { length }) => sum + length, 0);
  }

  close(code: number): void {
    if (this.#ended) return;
    this.#readAll();
    this.destroy(code);
  }

  destroy(code: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unread = [];
    // As with a socket, the session learns of the end after whatever it is doing now.
    queueMicrotask(() => {
      this.#session.transportClosed();
      this.#client.closed(code);
    });
  }

  #readAll(): void {
    this.#partial = Buffer.concat([this.#partial, ...this.#unread]);
    this.#unread = [];
    for (let frame = this.#nextFrame(); frame !== null; frame = this.#nextFrame()) {
      for (const message of this.#wire.decode(frame)) this.#client.received(message);
    }
  }

  #nextFrame(): Uint8Array | null {
    if (this.#partial.length < HEADER_BYTES) return null;
    const end = HEADER_BYTES + this.#partial.readUInt32BE();
    if (this.#partial.length < end) return null;
    const frame = this.#partial.subarray(HEADER_BYTES, end);
    this.#partial = this.#partial.subarray(end);
    return frame;
  }
}
