import { inflateRawSync } from 'node:zlib';
import {
  type FilterNode,
  type Init,
  jsonCodec,
  Payload,
  type Publication,
  protobufCodec,
  type Reply,
} from '@msg/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter } from '#src/delivery/tags-filter.ts';
import { EncodedStreams } from '#src/replies/encoded-streams.ts';
import { PublicationList } from '#src/replies/publication-list.ts';
import { SharedReply } from '#src/replies/shared-reply.ts';
import { newPublication } from '#src/stream/publication.ts';
import type { Framing } from '#src/transports/contract.ts';
import { streamFraming } from '#src/transports/http/framing.ts';
import { websocketFraming } from '#src/transports/websocket/framing.ts';

const FRAMINGS: readonly (readonly [string, Framing])[] = [
  ['WebSocket, JSON', websocketFraming('json', false)],
  ['WebSocket, Protobuf', websocketFraming('protobuf', false)],
  ['WebTransport, JSON', streamFraming('json', false)],
  ['WebTransport, Protobuf', streamFraming('protobuf', false)],
  ['HTTP stream, JSON', streamFraming('json', true)],
  ['HTTP stream, Protobuf', streamFraming('protobuf', true)],
  ['server-sent events', streamFraming('sse', true)],
];
const EVEN: FilterNode = { op: '', key: 'parity', cmp: 'eq', val: '0', vals: [], nodes: [] };
const EPOCH = 'QwErTyUi';

const stream = (sizes: readonly number[]) =>
  sizes.map((size, i) => {
    const data = new Payload(Buffer.from(JSON.stringify({ i, text: 'tëxt '.repeat(size) })));
    const tags = new Map([['parity', String(i % 2)]]);
    return newPublication(data, i + 1, { tags }, 1_700_000_000_000 + i);
  });

const PUBLICATION_SIZES = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.nat(30) },
    { weight: 4, arbitrary: fc.nat(3000) },
    { weight: 1, arbitrary: fc.nat(40_000) },
  ),
  { minLength: 1, maxLength: 300 },
);

type Kind = 'history' | 'reversed' | 'recovery' | 'filtered' | 'delta';
const KINDS: readonly Kind[] = ['history', 'reversed', 'recovery', 'filtered', 'delta'];

interface Asked {
  readonly kind: Kind;
  /** Share of the stream that is left out at its beginning. */
  readonly skip: number;
}
const ASKED = fc.record({
  kind: fc.constantFrom(...KINDS),
  skip: fc.double({ min: 0, max: 0.9, noNaN: true }),
});

function listOf(sizes: readonly number[], { kind, skip }: Asked, ownBytes = 0): PublicationList {
  const all = stream(sizes);
  const window = all.slice(Math.floor(all.length * skip));
  return new PublicationList(
    {
      channel: 'news',
      epoch: EPOCH,
      kind: kind === 'history' || kind === 'reversed' ? 'history' : 'recovery',
      window: kind === 'reversed' ? window.reverse() : window,
      filter: kind === 'filtered' ? compileFilter(EVEN) : null,
      ownBytes,
    },
    kind === 'delta',
  );
}

/** The reply that holds the list, as one connection alone would get it. */
function replyOf(list: PublicationList, elements = list.publications): Init<Reply> {
  if (list.kind === 'history')
    return { id: 7, history: { publications: elements, epoch: EPOCH, offset: 99 } };
  return { id: 8, subscribe: { recovered: true, epoch: EPOCH, offset: 3, publications: elements } };
}

function drain(reply: SharedReply): Buffer {
  const pieces: Uint8Array[] = [];
  for (let piece = reply.next(); piece !== null; piece = reply.next()) {
    pieces.push(Uint8Array.from(piece));
    expect(piece.length).toBeGreaterThan(0);
  }
  expect(reply.remaining).toBe(0);
  reply.release();
  return Buffer.concat(pieces);
}

/** Expected bytes: the same reply encoded in one go. */
function frameOf(framing: Framing, sizes: readonly number[], asked: Asked): Buffer {
  const list = listOf(sizes, asked, Number.POSITIVE_INFINITY);
  const elements = list.elements(framing.codec.encoding) as typeof list.publications;
  return Buffer.from(framing.frame([framing.codec.encodeReply(replyOf(list, elements))]));
}

describe.each(FRAMINGS)('a long reply in pieces, %s', (_name, framing) => {
  it('is the frame of the reply byte for byte, for many at once over one stream', () => {
    fc.assert(
      fc.property(PUBLICATION_SIZES, fc.array(ASKED, { minLength: 1, maxLength: 6 }), (sizes, askers) => {
        const streams = new EncodedStreams();
        const replies = askers.flatMap(asked => {
          const list = listOf(sizes, asked);
          if (!list.isShared) return [];
          const reply = SharedReply.encode(framing, replyOf(list), [list], streams);
          return [{ asked, reply }];
        });
        for (const { asked, reply } of replies) {
          const { size } = reply;
          const bytes = drain(reply);
          expect(bytes.length).toBe(size);
          expect(bytes.equals(frameOf(framing, sizes, asked))).toBe(true);
        }
        expect(streams.bytes).toBe(0);
      }),
      { numRuns: 25 },
    );
  });
});

describe.each(['json', 'protobuf'] as const)('a long reply with permessage-deflate, %s', encoding => {
  it('inflates to the reply', () => {
    const framing = websocketFraming(encoding, true);
    const plain = websocketFraming(encoding, false);
    fc.assert(
      fc.property(PUBLICATION_SIZES, ASKED, ASKED, (sizes, asked, other) => {
        const streams = new EncodedStreams();
        const lists = [other, asked].map(one => listOf(sizes, one)).filter(({ isShared }) => isShared);
        const replies = lists.map(list => SharedReply.encode(framing, replyOf(list), [list], streams));
        const list = lists.at(-1);
        for (const reply of replies) {
          const frame = drain(reply);
          if (list === undefined || reply !== replies.at(-1) || !listOf(sizes, asked).isShared) continue;
          expect(payloadOf(frame).equals(payloadOf(frameOf(plain, sizes, asked)))).toBe(true);
        }
        expect(streams.bytes).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('compresses what is shared, once', () => {
    const framing = websocketFraming(encoding, true);
    const streams = new EncodedStreams();
    const list = listOf(
      Array.from({ length: 200 }, () => 200),
      { kind: 'recovery', skip: 0 },
    );
    const replies = [1, 2].map(() => SharedReply.encode(framing, replyOf(list), [list], streams));
    const pieces = replies.map(reply => {
      const all: Uint8Array[] = [];
      for (let piece = reply.next(); piece !== null; piece = reply.next()) all.push(piece);
      return all.filter(({ length }) => length > 100);
    });
    for (const { size } of replies) expect(size).toBeLessThan(100_000);
    expect(pieces[0]?.length).toBeGreaterThan(1);
    // Not equal bytes: the same memory.
    for (const [i, piece] of (pieces[0] ?? []).entries()) expect(pieces[1]?.[i]?.buffer).toBe(piece.buffer);
  });
});

/** The payload of one unmasked WebSocket frame, inflated when it is compressed. */
function payloadOf(frame: Buffer): Buffer {
  const length = (frame[1] as number) & 0x7f;
  const payload = frame.subarray(length < 126 ? 2 : length === 126 ? 4 : 10);
  const isCompressed = ((frame[0] as number) & 0x40) !== 0;
  if (!isCompressed) return payload;
  return inflateRawSync(Buffer.concat([payload, Buffer.from([0, 0, 0xff, 0xff])]), { finishFlush: 2 });
}

describe('what long replies hold', () => {
  const sizes = Array.from({ length: 2000 }, () => 100);
  const encode = (streams: EncodedStreams, asked: Asked, framing = FRAMINGS[0]?.[1] as Framing) => {
    const list = listOf(sizes, asked);
    return SharedReply.encode(framing, replyOf(list), [list], streams);
  };

  it('is one encoding of the stream for all who ask for it from different places on', () => {
    const streams = new EncodedStreams();
    const first = encode(streams, { kind: 'recovery', skip: 0 });
    const once = streams.bytes;
    const more = Array.from({ length: 100 }, (_, i) =>
      encode(streams, { kind: KINDS[i % 4] as Kind, skip: i / 200 }),
    );
    expect(streams.bytes).toBe(once);
    first.release();
    for (const reply of more) reply.release();
    expect(streams.bytes).toBe(0);
  });

  it('is given up as the replies go on, and again after a release in the middle', () => {
    const streams = new EncodedStreams();
    const reply = encode(streams, { kind: 'history', skip: 0 });
    const whole = streams.bytes;
    while (reply.remaining > whole / 2) reply.next();
    expect(streams.bytes).toBeLessThan(whole * 0.7);
    expect(streams.bytes).toBeGreaterThan(whole * 0.3);
    // A newcomer fills the gap again.
    const again = encode(streams, { kind: 'history', skip: 0 });
    expect(streams.bytes).toBe(whole);
    reply.release();
    reply.release();
    expect(streams.bytes).toBe(whole);
    expect(
      drain(again).equals(frameOf(FRAMINGS[0]?.[1] as Framing, sizes, { kind: 'history', skip: 0 })),
    ).toBe(true);
    expect(streams.bytes).toBe(0);
  });

  it('is nothing when a publication cannot be expressed', () => {
    const streams = new EncodedStreams();
    const window = stream(sizes);
    window[1500] = { ...(window[1500] as Publication), version: 2 ** 53 };
    const options = {
      channel: 'news',
      epoch: EPOCH,
      kind: 'recovery',
      window,
      filter: null,
      ownBytes: 0,
    } as const;
    for (const delta of [false, true]) {
      const list = new PublicationList(options, delta);
      const run = () => SharedReply.encode(FRAMINGS[0]?.[1] as Framing, replyOf(list), [list], streams);
      expect(run).toThrow();
      expect(streams.bytes).toBe(0);
    }
  });

  it('is not shared with another epoch, channel, encoding or form', () => {
    const streams = new EncodedStreams();
    const window = stream(sizes);
    const base = { channel: 'a', epoch: '1', kind: 'history', window, filter: null, ownBytes: 0 } as const;
    const lists = [
      new PublicationList(base),
      new PublicationList({ ...base, channel: 'b' }),
      new PublicationList({ ...base, epoch: '2' }),
      new PublicationList(base, true),
    ];
    let before = 0;
    for (const codec of [jsonCodec, protobufCodec]) {
      for (const list of lists) {
        streams.run(codec, list);
        expect(streams.bytes).toBeGreaterThan(before);
        before = streams.bytes;
      }
    }
  });

  it('is the reply alone where offsets have holes: nothing proves what stands between them', () => {
    const window = stream(sizes).filter(({ offset }) => offset !== 5);
    const options = { channel: 'a', epoch: '1', kind: 'history', window, filter: null, ownBytes: 0 } as const;
    expect(new PublicationList(options).isShared).toBe(false);
  });
});
