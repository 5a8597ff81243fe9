import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { clientFrame, compressionBomb, fragmentedMessage, OPCODES } from '@msg/testkit/hostile';
import { describe, expect, it } from 'vitest';
import * as ws from 'ws';
import { type FrameEvents, FrameReader } from '#src/transports/websocket/frame-reader.ts';
import { deflated } from '#src/transports/websocket/message-compression.ts';
import { Prng } from '../../model/prng.ts';

const MESSAGE_BYTES = 70_000;
const STREAMS = 3000;

/** The reader of frames of `ws`, which its declarations leave out. */
const { Receiver } = ws as unknown as {
  Receiver: new (options: { readonly isServer: boolean; readonly maxPayload: number }) => Writable;
};

/** What a reader said: what kind of event, and its text or status. */
type Event = readonly [kind: string, value: string];

/** Reads the chunks. With `compressed`, as of a connection that negotiated permessage-deflate. */
function read(chunks: readonly Uint8Array[], compressed = false): Event[] {
  const events: Event[] = [];
  const listener: FrameEvents = {
    messageReceived: bytes => void events.push(['message', bytes.toString('latin1')]),
    pingReceived: payload => void events.push(['ping', payload.toString('latin1')]),
    pongReceived: () => void events.push(['pong', '']),
    closeReceived: (status, reason) => void events.push(['close', `${status} ${reason}`]),
    violated: status => void events.push(['violation', `${status}`]),
  };
  const reader = new FrameReader(listener, { messageBytes: MESSAGE_BYTES, compressed });
  // A reader changes what it reads.
  for (const chunk of chunks) reader.read(Buffer.from(chunk));
  return events;
}

/** As {@link read}, by the reader of `ws`. */
async function readByWs(chunks: readonly Uint8Array[]): Promise<Event[]> {
  const events: Event[] = [];
  const receiver = new Receiver({ isServer: true, maxPayload: MESSAGE_BYTES });
  receiver.on('message', (bytes: Buffer) => events.push(['message', bytes.toString('latin1')]));
  receiver.on('ping', (bytes: Buffer) => events.push(['ping', bytes.toString('latin1')]));
  receiver.on('pong', () => events.push(['pong', '']));
  receiver.on('conclude', (status: number, reason: Buffer) => events.push(['close', `${status} ${reason}`]));
  receiver.on('error', (error: Error) => {
    const symbol = Object.getOwnPropertySymbols(error).find(
      ({ description }) => description === 'status-code',
    );
    events.push(['violation', `${(error as unknown as Record<symbol, number>)[symbol as symbol]}`]);
  });
  const closed = once(receiver, 'close');
  for (const chunk of chunks) {
    if (receiver.destroyed || receiver.writableEnded) break;
    receiver.write(Buffer.from(chunk));
  }
  if (!receiver.destroyed) receiver.end();
  await closed.catch(() => {});
  return events;
}

const LENGTHS = [0, 1, 2, 3, 7, 124, 125, 126, 127, 300, 4000, 65_535, 65_536, 69_999, 70_000, 70_001];
const STATUSES = [999, 1000, 1001, 1004, 1005, 1006, 1007, 1014, 1015, 2999, 3000, 4999, 5000];

/** Frames as a client sends them, and now and then one that it must not send. */
class Streams {
  readonly #random: Prng;

  constructor(seed: number) {
    this.#random = new Prng(seed);
  }

  chunks(): Buffer[] {
    const frames: Buffer[] = [];
    let isOpen = false;
    for (let count = 1 + this.#below(8); count > 0; count--) {
      const isControl = this.#below(4) === 0;
      const isWrong = this.#below(25) === 0;
      if (isControl) frames.push(this.#control(isWrong));
      else {
        const fin = this.#below(3) > 0;
        frames.push(this.#data(isOpen !== isWrong, fin));
        isOpen = !fin;
      }
    }
    if (this.#below(10) === 0) frames.push(this.#close());
    return this.#cut(this.#damaged(Buffer.concat(frames)));
  }

  #below(most: number): number {
    return this.#random.below(most);
  }

  #bytes(length: number): Buffer {
    const text = this.#below(3) > 0 ? 'abcdefgä€😀'.repeat(Math.ceil(length / 8)) : undefined;
    if (text !== undefined) return Buffer.from(text).subarray(0, length);
    return Buffer.from(Array.from({ length: Math.min(length, 300) }, () => this.#below(256)));
  }

  #mask(): Buffer {
    return Buffer.from([0, 0, 0, 0].map(() => this.#below(256)));
  }

  #data(continues: boolean, fin: boolean): Buffer {
    const opcode = continues ? OPCODES.continuation : this.#below(2) === 0 ? OPCODES.text : OPCODES.binary;
    const payload = this.#bytes(LENGTHS[this.#below(this.#below(8) === 0 ? LENGTHS.length : 11)] as number);
    return clientFrame(payload, { opcode, fin, mask: this.#mask() });
  }

  #control(isWrong: boolean): Buffer {
    const opcode = this.#below(2) === 0 ? OPCODES.ping : OPCODES.pong;
    const payload = this.#bytes(isWrong ? 126 : this.#below(126));
    return clientFrame(payload, { opcode, fin: !isWrong || this.#below(2) === 0, mask: this.#mask() });
  }

  #close(): Buffer {
    const status = Buffer.alloc(2);
    status.writeUInt16BE(STATUSES[this.#below(STATUSES.length)] as number);
    const reasons = [
      Buffer.alloc(0),
      status,
      status.subarray(0, 1),
      Buffer.concat([status, this.#bytes(20)]),
    ];
    const payload = reasons[this.#below(reasons.length)] as Buffer;
    return clientFrame(payload, { opcode: OPCODES.close, mask: this.#mask() });
  }

  /** One stream in five has a byte that is another one. */
  #damaged(stream: Buffer): Buffer {
    if (this.#below(5) === 0) stream[this.#below(stream.length)] = this.#below(256);
    return stream;
  }

  #cut(stream: Buffer): Buffer[] {
    const chunks: Buffer[] = [];
    const most = [1, 3, 200, 70_000][
      this.#below(stream.length > 5000 ? 2 : 4) + (stream.length > 5000 ? 2 : 0)
    ];
    for (let at = 0; at < stream.length; ) {
      const end = at + 1 + this.#below(most as number);
      chunks.push(stream.subarray(at, end));
      at = end;
    }
    return chunks;
  }
}

describe('the reader of frames', () => {
  const seed = Number(process.env['MSG_FUZZ_SEED'] ?? 1);

  it(`says what the reader of ws says about ${STREAMS} streams, seed ${seed}`, async () => {
    const kinds = new Map<string, number>();
    for (let number = 0; number < STREAMS; number++) {
      const chunks = new Streams(seed * STREAMS + number).chunks();
      const events = read(chunks);
      expect(events, `stream ${number}`).toEqual(await readByWs(chunks));
      for (const [kind, value] of events) {
        const name = kind === 'violation' ? `${kind} ${value}` : kind;
        kinds.set(name, (kinds.get(name) ?? 0) + 1);
      }
    }
    // A comparison in which nothing happens would show nothing.
    for (const kind of [
      'message',
      'ping',
      'pong',
      'close',
      'violation 1002',
      'violation 1007',
      'violation 1009',
    ])
      expect(kinds.get(kind), kind).toBeGreaterThan(20);
  });

  it('says nothing after a violation, and nothing after a close frame', () => {
    const message = clientFrame('{}');
    expect(read([Buffer.concat([clientFrame('', { opcode: 3 }), message]), message])).toEqual([
      ['violation', '1002'],
    ]);
    const close = clientFrame('', { opcode: OPCODES.close });
    expect(read([Buffer.concat([close, message]), message])).toEqual([['close', '1005 ']]);
  });

  it('reads control frames between the fragments of a message', () => {
    const chunks = [
      clientFrame('a', { fin: false }),
      clientFrame('p', { opcode: OPCODES.ping }),
      clientFrame('b', { opcode: OPCODES.continuation }),
    ];
    expect(read(chunks)).toEqual([
      ['ping', 'p'],
      ['message', 'ab'],
    ]);
  });

  it('holds no more than came of a message, whatever its header promises', () => {
    const promise = clientFrame('', { announcedBytes: MESSAGE_BYTES }).subarray(0, 14);
    const before = process.memoryUsage().arrayBuffers;
    const readers = Array.from({ length: 1000 }, () => {
      const listener = {} as FrameEvents; // nothing is to happen
      const reader = new FrameReader(listener, { messageBytes: MESSAGE_BYTES, compressed: false });
      reader.read(Buffer.from(promise));
      return reader;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2000 * readers.length);
  });

  it.each([
    ['one frame', 1],
    ['three frames', 3],
  ])('inflates a message of %s that is compressed', (_, fragments) => {
    const payload = deflated(Buffer.alloc(MESSAGE_BYTES, ' '));
    const size = Math.ceil(payload.length / fragments);
    const frames = Array.from({ length: fragments }, (_, i) =>
      clientFrame(payload.subarray(i * size, (i + 1) * size), {
        opcode: i === 0 ? OPCODES.text : OPCODES.continuation,
        compressed: i === 0,
        fin: i === fragments - 1,
      }),
    );
    const [[kind, value = ''] = []] = read(frames, true);
    expect([kind, value.length, value.trim()]).toEqual(['message', MESSAGE_BYTES, '']);
  });

  it.each([
    ['a message that is too long once it is inflated', compressionBomb(MESSAGE_BYTES + 1), '1009'],
    ['data that are not compressed', clientFrame(Buffer.alloc(20, 0xff), { compressed: true }), '1007'],
    [
      'text that is not UTF-8',
      clientFrame(Buffer.from([0x01, 0x01, 0x00, 0xfe, 0xff, 0xff]), { compressed: true }),
      '1007',
    ],
    [
      'a fragment that is marked as compressed',
      Buffer.concat([clientFrame('a', { fin: false }), clientFrame('', { opcode: 0, compressed: true })]),
      '1002',
    ],
    [
      'a ping that is marked as compressed',
      clientFrame('', { opcode: OPCODES.ping, compressed: true }),
      '1002',
    ],
  ])('refuses %s', (_, frame, status) => {
    expect(read([frame], true)).toEqual([['violation', status]]);
  });

  it('reads many small fragments in the time of their bytes', () => {
    const [[kind, value = ''] = []] = read([fragmentedMessage('ab', MESSAGE_BYTES / 2)]);
    expect([kind, value.length]).toEqual(['message', MESSAGE_BYTES]);
  });
});
