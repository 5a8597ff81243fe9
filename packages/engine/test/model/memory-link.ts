import type { RealtimeNode } from '@msg/engine';
import { jsonCodec, protobufCodec, type ServerCodec } from '@msg/protocol';
import type { ClientCommand, Link, LinkEvents } from './link.ts';
import { jsonWire, protobufWire, type Wire } from './wire.ts';

type Transport = Parameters<RealtimeNode['open']>[0];
type TransportEvents = ReturnType<RealtimeNode['open']>;
type Framing = Transport['framing'];

function framing(key: number, codec: ServerCodec): Framing {
  return { key, codec, frame: messages => codec.join(messages) };
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
    const frames = this.#unread;
    this.#unread = [];
    for (const frame of frames) {
      for (const message of this.#wire.decode(frame)) this.#client.received(message);
    }
  }
}
