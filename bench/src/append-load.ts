import {
  type AppendOp,
  type AppendResult,
  RealtimeNode,
  type Transport,
  type TransportEvents,
} from '@msg/engine';
import { jsonCodec } from '@msg/protocol';

/** Appends one operation. */
export type Appender = (op: AppendOp) => Promise<AppendResult>;

const NOTHING = new Uint8Array(0);
const PUBLICATION = Buffer.from('"pub":');

/** A document with so many tokens, as a program without append streams publishes it. */
export function whole(tokens: number): Uint8Array {
  return Buffer.from(JSON.stringify({ id: 'm', status: 'streaming', text: 'tok '.repeat(tokens) }));
}

/** A connection without a socket that counts the publications it gets: what remains is the engine's own work. */
export class CountedReader implements Transport {
  readonly info = { name: 'websocket', encoding: 'json', remoteAddress: '', headers: {} } as const;
  readonly framing: Transport['framing'] = {
    key: 9,
    codec: jsonCodec,
    frame: messages => jsonCodec.join(messages),
    envelope: () => ({ before: NOTHING, after: NOTHING }),
  };
  readonly emulated = false;
  readonly announcesDisconnect = false;
  readonly ping = null;
  publications = 0;

  readonly #session: TransportEvents;

  constructor(node: RealtimeNode, delta: boolean) {
    const session = node.open(this);
    this.#session = session;
    const subscribe = { channel: 'chat', delta: delta ? 'fossil' : '' };
    session.received(Buffer.from('{"id":1,"connect":{}}'));
    session.received(Buffer.from(JSON.stringify({ id: 2, subscribe })));
  }

  write(bytes: Uint8Array): boolean {
    // The head of a frame is enough: no turn has more than one publication.
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 128));
    if (head.includes(PUBLICATION)) this.publications++;
    return true;
  }

  bufferedBytes(): number {
    return 0;
  }

  pause(): void {}
  resume(): void {}

  close(): void {
    queueMicrotask(() => this.#session.transportClosed());
  }

  destroy(): void {
    this.close();
  }
}

/** A started node whose channels keep `size` publications and take appends. */
export async function readersNode(size = 100): Promise<RealtimeNode> {
  const append = { maxBytes: 4_194_304, orphanMs: 3_600_000, windowMs: 0 };
  const node = new RealtimeNode({
    policy: {
      connect: () => ({ user: '' }),
      subscribe: () => ({ recovery: 'stream', delta: true }),
      streamOptions: () => ({ size, ttlMs: 300_000, append }),
    },
  });
  await node.start();
  return node;
}
