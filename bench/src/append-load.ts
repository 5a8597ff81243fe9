import {
  type AppendOp,
  type AppendResult,
  RealtimeNode,
  type Transport,
  type TransportEvents,
} from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import { jsonCodec } from '@msg/protocol';

/** Appends one operation. */
export type Appender = (op: AppendOp) => Promise<AppendResult>;

const NOTHING = new Uint8Array(0);
const PUBLICATION = Buffer.from('"pub":');
/** What was written last and whether it has a publication: readers of the same messages are given the same bytes. */
let newest: { readonly bytes: Uint8Array; readonly hasPublication: boolean } | null = null;

/** The head of a frame is enough: no turn has more than one publication. */
function hasPublication(bytes: Uint8Array): boolean {
  if (newest?.bytes !== bytes) {
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 128));
    newest = { bytes, hasPublication: head.includes(PUBLICATION) };
  }
  return newest.hasPublication;
}

/** A token of four bytes that no other one of an answer equals: a text of equal words is no work for a diff. */
export function token(n: number): string {
  return `${n.toString(36).padStart(3, '-')} `;
}

/** The document of a text, as a program without append streams publishes it. */
export function whole(text: string): Uint8Array {
  return Buffer.from(JSON.stringify({ id: 'm', status: 'streaming', text }));
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
  bytes = 0;
  /** What it got, in pieces; null for one that only counts. */
  readonly written: Buffer[] | null;

  readonly #session: TransportEvents;

  /** @param recovery members of the subscribe command; with them what comes is kept */
  constructor(node: RealtimeNode, delta: boolean, recovery?: object) {
    this.written = recovery === undefined ? null : [];
    const session = node.open(this);
    this.#session = session;
    const subscribe = { channel: 'chat', delta: delta ? 'fossil' : '', ...recovery };
    session.received(Buffer.from('{"id":1,"connect":{}}'));
    session.received(Buffer.from(JSON.stringify({ id: 2, subscribe })));
  }

  write(bytes: Uint8Array): boolean {
    if (hasPublication(bytes)) this.publications++;
    this.bytes += bytes.length;
    this.written?.push(Buffer.from(bytes));
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
export async function readersNode(size = 100, windowMs = 0, clock?: Clock): Promise<RealtimeNode> {
  const append = { maxBytes: 4_194_304, orphanMs: 3_600_000, windowMs };
  const node = new RealtimeNode({
    ...(clock && { clock, limits: { pingMs: 0 } }),
    policy: {
      connect: () => ({ user: '' }),
      subscribe: () => ({ recovery: 'stream', delta: true }),
      streamOptions: () => ({ size, ttlMs: 300_000, append }),
    },
  });
  await node.start();
  return node;
}
