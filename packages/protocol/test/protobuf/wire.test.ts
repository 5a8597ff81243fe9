import { type DecodeErrorCode, protobufCodec } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { Arena } from '#src/bytes/arena.ts';
import { REPLY_DECODE_LIMITS } from '#src/limits.ts';
import { publicationType } from '#src/messages/publication.ts';
import { ProtobufReader } from '#src/protobuf/reader.ts';
import { ProtobufWriter } from '#src/protobuf/writer.ts';
import { all, decodeFault, hex, utf8 } from '../support/bytes.ts';

const frame = (message: string) => {
  const bytes = hex(message);
  return Uint8Array.from([bytes.length, ...bytes]);
};
const commands = (bytes: Uint8Array) => all(protobufCodec.commands(bytes));

describe('frames (client protocol 2.2)', () => {
  it('the examples of appendix A', () => {
    expect(commands(hex('08 08 01 22 04 22 02 6a 73'))).toMatchObject([
      { id: 1, kind: 'connect', request: { name: 'js' } },
    ]);
    expect(commands(hex('00'))).toEqual([{ id: 0, kind: 'none', request: null }]);
    expect([...protobufCodec.encodeReply({ id: 6, unsubscribe: {} })]).toEqual([...hex('04 08 06 3a 00')]);
  });
  it.each<[string, string, DecodeErrorCode]>([
    ['nothing', '', 'empty'],
    ['a length beyond the end', '05 08 01', 'truncated'],
    ['a length cut off', '80', 'truncated'],
    ['a length of more than 64 bits', 'ff ff ff ff ff ff ff ff ff 7f 08', 'malformed'],
    ['a length above 2^32', '81 80 80 80 10 08', 'truncated'],
  ])('%s is refused', (_, bytes, code) => {
    expect(decodeFault(() => commands(hex(bytes)))).toBe(code);
  });
  it('decodes lazily', () => {
    const reader = protobufCodec.commands(hex('02 08 01 02 08'));
    expect(reader.next()?.id).toBe(1);
    expect(decodeFault(() => reader.next())).toBe('truncated');
  });
});

describe('proto3 details', () => {
  it.each<[string, string]>([
    ['unknown varint', '08 01 a0 01 7f'],
    ['unknown fixed64', '08 01 a1 01 00 00 00 00 00 00 00 00'],
    ['unknown bytes', '08 01 a2 01 03 01 02 03'],
    ['unknown group', '08 01 a3 01 08 05 a3 01 a4 01 a4 01'],
    ['unknown fixed32', '08 01 a5 01 00 00 00 00'],
    ['unknown large field number', '08 01 f8 ff ff ff 0f 01'],
    ['overlong varint', '08 81 80 80 80 80 80 80 80 80 00'],
    ['id of more than 32 bits, cut to 32', '08 81 80 80 80 f0 ff ff ff ff 01'],
    ['the last value of a field', '08 02 08 01'],
  ])('%s', (_, message) => {
    expect(commands(frame(message))).toEqual([{ id: 1, kind: 'none', request: null }]);
  });

  it.each<[string, string, DecodeErrorCode]>([
    ['field number 0', '00 01', 'malformed'],
    ['wire type 6', '0e 01', 'malformed'],
    ['wire type 7', '0f 01', 'malformed'],
    ['an end of group alone', 'a4 01', 'malformed'],
    ['a group that ends as another', 'a3 01 ac 01', 'malformed'],
    ['a group without end', 'a3 01 08 05', 'truncated'],
    ['a varint of 11 bytes', '08 ff ff ff ff ff ff ff ff ff ff 01', 'malformed'],
    ['a varint of 65 bits', '08 ff ff ff ff ff ff ff ff ff 02', 'malformed'],
    ['a varint cut off', '08 80', 'truncated'],
    ['id with the wrong wire type', '0a 01 01', 'malformed'],
    ['connect with the wrong wire type', '20 01', 'malformed'],
    ['a nested length beyond its message', '22 05 0a', 'truncated'],
    ['a string beyond its message', '22 02 0a 05', 'truncated'],
    ['a string that is not UTF-8', '22 03 0a 01 ff', 'malformed'],
    ['a map entry with a wrong key type', '22 04 32 02 08 01', 'malformed'],
    ['a map entry with a wrong value type', '22 04 32 02 10 01', 'malformed'],
  ])('%s is refused', (_, message, code) => {
    expect(decodeFault(() => commands(frame(message)))).toBe(code);
  });

  it('a message that repeats is merged', () => {
    // connect { token: "a" }, then connect { name: "b" }
    expect(commands(frame('22 03 0a 01 61 22 03 22 01 62'))).toMatchObject([
      { kind: 'connect', request: { token: 'a', name: 'b' } },
    ]);
  });

  it('map entries default their key and value, the last of two alike counts', () => {
    expect(commands(frame('22 12 32 00 32 06 0a 01 61 12 01 62 32 06 0a 01 61 12 01 63'))).toMatchObject([
      {
        kind: 'connect',
        request: {
          headers: new Map([
            ['', ''],
            ['a', 'c'],
          ]),
        },
      },
    ]);
  });

  it('precedence is that of the kinds, not of the bytes', () => {
    // rpc {} before connect {}, then send {}
    expect(commands(frame('6a 00 22 00 62 00'))).toMatchObject([{ kind: 'connect' }]);
    expect(commands(frame('5a 00 62 00'))).toMatchObject([{ kind: 'send' }]);
  });

  it('payloads are copies', () => {
    const bytes = frame('3a 07 0a 01 63 12 02 31 32');
    const [command] = commands(bytes);
    bytes.fill(0);
    expect(command?.kind === 'publish' && command.request.data.bytes).toEqual(utf8('12'));
  });
});

describe('64-bit numbers', () => {
  const read = (bytes: Uint8Array) =>
    new ProtobufReader(bytes, 0, bytes.length, REPLY_DECODE_LIMITS, Arena.forPayloads()).root(
      publicationType,
    );
  const write = (value: Record<string, number>) => {
    const writer = new ProtobufWriter();
    writer.begin();
    writer.message(publicationType, value);
    return writer.finish(Arena.forFrames());
  };
  it.each<[string, 'offset' | 'time' | 'score', number]>([
    ['30 ff ff ff ff ff ff ff 0f', 'offset', Number.MAX_SAFE_INTEGER],
    ['48 ff ff ff ff ff ff ff ff ff 01', 'time', -1],
    ['48 81 80 80 80 80 80 80 f0 ff 01', 'time', Number.MIN_SAFE_INTEGER],
    ['48 80 80 80 80 f8 ff ff ff ff 01', 'time', -(2 ** 31)],
    ['68 01', 'score', -1],
    ['68 02', 'score', 1],
    ['68 03', 'score', -2],
    ['68 fe ff ff ff ff ff ff 1f', 'score', Number.MAX_SAFE_INTEGER],
    ['68 fd ff ff ff ff ff ff 1f', 'score', Number.MIN_SAFE_INTEGER],
  ])('%s is %s %d', (bytes, name, value) => {
    expect(read(hex(bytes))[name]).toBe(value);
    expect([...write({ [name]: value })]).toEqual([...hex(bytes)]);
  });
  it('beyond 2^53 the nearest double is read', () => {
    expect(read(hex('30 ff ff ff ff ff ff ff ff ff 01')).offset).toBe(2 ** 64);
    expect(read(hex('48 80 80 80 80 80 80 80 80 80 01')).time).toBe(-(2 ** 63));
  });
});

describe('limits', () => {
  const wrap = (tag: number, inner: Uint8Array): Uint8Array => {
    const size = inner.length;
    const length =
      size < 128
        ? [size]
        : [
            (size & 127) | 128,
            ((size >> 7) & 127) | (size > 16_383 ? 128 : 0),
            ...(size > 16_383 ? [size >> 14] : []),
          ];
    return Uint8Array.from([tag, ...length, ...inner]);
  };
  const framed = (message: Uint8Array) => wrap(0, message).subarray(1);

  it('messages nested too deep', () => {
    let node: Uint8Array = new Uint8Array(0);
    for (let i = 0; i < 100; i++) node = wrap(0x32, node);
    expect(decodeFault(() => commands(framed(wrap(0x2a, wrap(0x6a, node)))))).toBe('too_deep');
  });
  it('groups nested too deep', () => {
    const groups = Uint8Array.from([
      ...Array(100).fill([0xa3, 0x01]).flat(),
      ...Array(100).fill([0xa4, 0x01]).flat(),
    ]);
    expect(decodeFault(() => commands(framed(groups)))).toBe('too_deep');
  });
  it('too many items', () => {
    const vals = (count: number) =>
      framed(wrap(0x2a, wrap(0x6a, Uint8Array.from(Array(count).fill([0x2a, 0]).flat()))));
    expect(decodeFault(() => commands(vals(4_096)))).toBe('none');
    expect(decodeFault(() => commands(vals(4_097)))).toBe('too_many');
  });
  it('too many map entries', () => {
    const headers = framed(wrap(0x22, Uint8Array.from(Array(4_097).fill([0x32, 0]).flat())));
    expect(decodeFault(() => commands(headers))).toBe('too_many');
  });
});
