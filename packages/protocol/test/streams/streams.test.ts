import {
  COMMAND_DECODE_LIMITS,
  type Codec,
  CommandStream,
  type DecodeErrorCode,
  jsonCodec,
  protobufCodec,
  ReplyStream,
} from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { commandType } from '#src/messages/command.ts';
import { replyType } from '#src/messages/reply.ts';
import { all, decodeFault, hex, utf8 } from '../support/bytes.ts';
import { generate, plain } from '../support/generate.ts';
import { Random, SEED } from '../support/random.ts';

function take<T>(stream: { next(): T | null }): T[] {
  const out: T[] = [];
  for (let message = stream.next(); message !== null; message = stream.next()) out.push(message);
  return out;
}

/** The messages as a stream carries them: JSON ends each with a newline. */
function streamed(codec: Codec, messages: readonly Uint8Array[]): Uint8Array {
  const frame = codec.join(messages);
  return codec.encoding === 'json' ? Uint8Array.from([...frame, 0x0a]) : frame;
}

describe.each([jsonCodec, protobufCodec])('$encoding streams', codec => {
  it(`any chunks give the same commands as one frame, seed ${SEED}`, () => {
    const random = new Random(SEED);
    for (let i = 0; i < 300; i++) {
      const messages = Array.from({ length: 1 + random.below(5) }, () =>
        codec.encodeCommand(generate(commandType, random, { jsonPayloads: true }, 2)),
      );
      const bytes = streamed(codec, messages);
      const expected = all(codec.commands(bytes));
      const stream = new CommandStream(codec.encoding);
      const got = [];
      for (let at = 0; at < bytes.length; ) {
        const size = random.pick([1, 2, 3, 10, 100, 5_000]);
        stream.push(bytes.slice(at, at + size));
        if (random.chance(0.8)) got.push(...take(stream));
        at += size;
      }
      got.push(...take(stream));
      stream.end();
      expect(plain(got)).toEqual(plain(expected));
    }
  });

  it('replies, byte by byte', () => {
    const random = new Random(SEED);
    for (let i = 0; i < 60; i++) {
      const bytes = streamed(codec, [
        codec.encodeReply(generate(replyType, random, { jsonPayloads: true }, 2)),
        codec.ping,
      ]);
      const stream = new ReplyStream(codec.encoding);
      const got = [...bytes].flatMap(byte => {
        stream.push(Uint8Array.of(byte));
        return take(stream);
      });
      expect(plain(got)).toEqual(plain(all(codec.replies(bytes))));
    }
  });

  it('a message of exactly the limit passes, one byte more does not', () => {
    const size = (bytes: number) => {
      const overhead = codec.encodeCommand({ rpc: { data: utf8('""') } }).length + 4;
      return codec.encodeCommand({ rpc: { data: utf8(`"${'x'.repeat(bytes - overhead)}"`) } });
    };
    const limit = 1_000;
    const prefix = codec.encoding === 'json' ? 0 : 2;
    let message = size(limit);
    while (message.length < limit + prefix)
      message = size(limit + (limit + prefix - message.length) + (1_000 - limit));
    const run = (messageBytes: number) => {
      const stream = new CommandStream(codec.encoding, { ...COMMAND_DECODE_LIMITS, messageBytes });
      stream.push(streamed(codec, [message]));
      return decodeFault(() => take(stream));
    };
    const exact = message.length - prefix;
    expect(run(exact)).toBe('none');
    expect(run(exact - 1)).toBe('too_large');
  });

  it('an incomplete message at the end', () => {
    const stream = new CommandStream(codec.encoding);
    stream.push(streamed(codec, [codec.encodeCommand({ id: 1, ping: {} })]).subarray(0, 3));
    expect(take(stream)).toEqual([]);
    expect(decodeFault(() => stream.end())).toBe('truncated');
  });

  it('is broken for good after an error, and forgets what follows', () => {
    const stream = new CommandStream(codec.encoding);
    stream.push(codec.encoding === 'json' ? utf8('nonsense\n') : hex('02 0f 01'));
    expect(decodeFault(() => stream.next())).toBe('malformed');
    stream.push(streamed(codec, [codec.pong]));
    expect(decodeFault(() => stream.next())).toBe('malformed');
    expect(decodeFault(() => stream.end())).toBe('malformed');
  });

  it('holds no more than one message and the last chunk', () => {
    const stream = new CommandStream(codec.encoding);
    const message = streamed(codec, [
      codec.encodeCommand({ id: 1, rpc: { data: utf8(`"${'x'.repeat(1_000)}"`) } }),
    ]);
    for (let i = 0; i < 2_000; i++) {
      for (let at = 0; at < message.length; at += 400) {
        stream.push(message.slice(at, at + 400));
        take(stream);
        expect(stream.waiting).toBeLessThan(message.length);
      }
    }
    expect(stream.waiting).toBe(0);
  });
});

describe('hostile streams', () => {
  it.each<[string, 'json' | 'protobuf', Uint8Array, DecodeErrorCode]>([
    ['a line without end', 'json', new Uint8Array(70_000).fill(0x20), 'too_large'],
    ['a blank line', 'json', utf8('\n'), 'malformed'],
    ['a length above the limit, before its bytes arrive', 'protobuf', hex('81 80 04'), 'too_large'],
    ['a length without end', 'protobuf', hex('80 80 80 80 80'), 'too_large'],
    ['overlong zeros', 'protobuf', hex('80 80 80 80 00'), 'too_large'],
  ])('%s', (_, encoding, bytes, code) => {
    const whole = new CommandStream(encoding);
    whole.push(bytes);
    expect(decodeFault(() => take(whole))).toBe(code);
    const pieces = new CommandStream(encoding);
    const push = () => {
      for (const byte of bytes) {
        pieces.push(Uint8Array.of(byte));
        take(pieces);
      }
    };
    expect(decodeFault(push)).toBe(code);
  });

  it('limits of the caller count', () => {
    const stream = new CommandStream('json', { ...COMMAND_DECODE_LIMITS, items: 1 });
    stream.push(utf8('{"connect":{"headers":{"a":"b","c":"d"}}}\n'));
    expect(decodeFault(() => stream.next())).toBe('too_many');
  });
});
