import { DecodeError } from '@msg/protocol';
import { FrameStream } from '@msg/protocol/internal';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const LIMITS = { messageBytes: 300, depth: 64, payloadDepth: 64, items: 4096 };

/** Pushes the bytes in pieces of the sizes given, again and again. */
function cut(encoding: 'json' | 'protobuf', bytes: Uint8Array, sizes: readonly number[]): string[] {
  const stream = new FrameStream(encoding, LIMITS);
  const frames: string[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    stream.push(bytes.slice(at, at + size));
    at += size;
    for (let frame = stream.next(); frame !== null; frame = stream.next())
      frames.push(Buffer.from(frame).toString('hex'));
  }
  return frames;
}

const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });

it('cuts lines whatever the pieces', () => {
  const line = fc
    .string({ minLength: 1, maxLength: 60, unit: 'binary' })
    .map(text => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line), sizes, (lines, pieces) => {
      const bytes = Buffer.from(lines.map(text => `${text}\n`).join(''));
      expect(cut('json', bytes, pieces)).toEqual(lines.map(text => Buffer.from(text).toString('hex')));
    }),
  );
});

it('cuts delimited messages with their length, however that is written', () => {
  const message = fc.tuple(fc.uint8Array({ maxLength: 250 }), fc.integer({ min: 0, max: 2 }));
  fc.assert(
    fc.property(fc.array(message), sizes, (messages, pieces) => {
      const whole = messages.map(([bytes, padding]) => {
        // Short or with superfluous groups: both are good varints.
        const groups = Math.max(bytes.length < 128 ? 1 : 2, 1 + padding);
        const length = Array.from({ length: groups }, (_, at) => {
          const group = (bytes.length >> (7 * at)) & 0x7f;
          return at < groups - 1 ? group | 0x80 : group;
        });
        return Buffer.from([...length, ...bytes]);
      });
      expect(cut('protobuf', Buffer.concat(whole), pieces)).toEqual(
        whole.map(frame => frame.toString('hex')),
      );
    }),
  );
});

it('refuses what is above the limit before it is complete', () => {
  for (const [encoding, bytes] of [
    ['json', Buffer.alloc(301, 0x61)],
    ['protobuf', Buffer.of(0xad, 0x02)],
  ] as const) {
    const stream = new FrameStream(encoding, LIMITS);
    stream.push(bytes);
    expect(() => stream.next()).toThrow(DecodeError);
    expect(() => stream.next(), 'for good').toThrow(DecodeError);
  }
});
