import { type DecodeErrorCode, jsonCodec } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { all, decodeFault, text, utf8 } from '../support/bytes.ts';

const commands = (frame: string | Uint8Array) =>
  all(jsonCodec.commands(typeof frame === 'string' ? utf8(frame) : frame));
const fault = (frame: string | Uint8Array) => decodeFault(() => commands(frame));

/** The payload of an RPC whose `data` is written like this. */
function payload(json: string): string {
  const [command] = commands(`{"id":1,"rpc":{"data":${json},"method":"m"}}`);
  if (command?.kind !== 'rpc' || command.request.data === null) throw new Error('no payload');
  return text(command.request.data);
}

describe('batches (client protocol 2.1, 2.3)', () => {
  it.each([
    ['one command', '{"id":1,"ping":{}}', 1],
    ['one trailing newline', '{"id":1,"ping":{}}\n', 1],
    ['several commands', '{}\n{}\n{}', 3],
    ['several, trailing newline', '{}\n{}\n', 2],
    ['white space around tokens', ' {\t"id" : 1 ,"ping":{ } }\t', 1],
    ['CR before the newline', '{}\r\n{}\r\n', 2],
    ['bytes after the value on a line are ignored', '{"id":1} trailing \u0000 {"id":2}\n{"id":3}', 2],
  ])('%s', (_, frame, count) => {
    expect(commands(frame)).toHaveLength(count);
  });

  it.each<[string, string, DecodeErrorCode]>([
    ['an empty frame', '', 'empty'],
    ['only a newline', '\n', 'malformed'],
    ['a blank line in the middle', '{}\n\n{}', 'malformed'],
    ['two trailing newlines', '{}\n\n', 'malformed'],
    ['a line of spaces', '{}\n  \n{}', 'malformed'],
    ['a command broken over lines', '{"id":1,\n"ping":{}}', 'malformed'],
    ['a byte order mark', '\ufeff{}', 'malformed'],
  ])('%s is refused', (_, frame, code) => {
    expect(fault(frame)).toBe(code);
  });

  it('decodes lazily: what comes before a broken command is there first', () => {
    const reader = jsonCodec.commands(utf8('{"id":1,"ping":{}}\n{"id":2,"ping":{}}\nnonsense'));
    expect(reader.next()?.id).toBe(1);
    expect(reader.next()?.id).toBe(2);
    expect(decodeFault(() => reader.next())).toBe('malformed');
  });

  it('answers null at the end, again and again', () => {
    const reader = jsonCodec.commands(utf8('{}'));
    reader.next();
    expect([reader.next(), reader.next()]).toEqual([null, null]);
  });
});

describe('not JSON', () => {
  it.each([
    '{',
    '}',
    '[]',
    'null',
    'true',
    '1',
    '"x"',
    '{"id"}',
    '{"id":}',
    '{"id":1,}',
    '{,}',
    '{id:1}',
    "{'id':1}",
    '{"id":01}',
    '{"x":+1}',
    '{"x":1.}',
    '{"x":.5}',
    '{"x":1e}',
    '{"x":-}',
    '{"x":--1}',
    '{"x":nul}',
    '{"x":nulls}',
    '{"x":True}',
    '{"x":"\t"}',
    '{"x":"\\x"}',
    '{"x":"\\u12g4"}',
    '{"x":"\\u12',
    '{"x":[1,]}',
    '{"x":[,1]}',
    '{"x":[1 2]}',
    '{"x":{"a":1,}}',
    '{"x":[}',
    '{"x":{]',
    '{"x":"abc',
    '{"x":tru',
    '{"x":NaN}',
    '{"x":Infinity}',
    '{"x":0x10}',
    '{"x":/**/1}',
    '{"id":1 "ping":{}}',
    '{"x":-01}',
  ])('%s is refused', frame => {
    expect(fault(frame)).not.toBe('none');
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong three-byte form', [0xe0, 0x80, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a truncated sequence', [0xe2, 0x82]],
    ['0xFF', [0xff]],
  ])('%s inside a string is refused', (_, bytes) => {
    const inside = (before: string) => Uint8Array.from([...utf8(before), ...bytes, ...utf8('"}}')]);
    expect(fault(inside('{"rpc":{"method":"'))).toBe('malformed');
    expect(fault(inside('{"rpc":{"data":"'))).toBe('malformed');
    expect(fault(Uint8Array.from([...utf8('{"rpc":{"'), ...bytes, ...utf8('":1}}')]))).toBe('malformed');
  });
});

describe('values of the wrong type (client protocol 2.1)', () => {
  const wrap = (value: string) => `{"id":1,"subscribe":{${value}}}`;
  it.each([
    ['string for a number', wrap('"offset":"5"')],
    ['bool for a number', wrap('"offset":true')],
    ['array for a number', wrap('"offset":[]')],
    ['fraction for a number', wrap('"offset":1.0')],
    ['exponent for a number', wrap('"offset":1e3')],
    ['negative for an unsigned 64-bit field', wrap('"offset":-1')],
    ['negative zero for an unsigned field', wrap('"offset":-0')],
    ['2^64', wrap('"offset":18446744073709551616')],
    ['30 digits', wrap('"offset":100000000000000000000000000000')],
    ['negative id', '{"id":-1}'],
    ['2^32 as id', '{"id":4294967296}'],
    ['string id', '{"id":"1"}'],
    ['2^31 for a signed 32-bit field', wrap('"type":2147483648')],
    ['below −2^31 for a signed 32-bit field', wrap('"type":-2147483649')],
    ['2^63 for a signed 64-bit field', wrap('"flag":9223372036854775808')],
    ['number for a string', wrap('"channel":5')],
    ['object for a string', wrap('"channel":{}')],
    ['number for a bool', wrap('"recover":1')],
    ['string for a bool', wrap('"recover":"true"')],
    ['array for a message', wrap('"tf":[]')],
    ['string for a message', '{"id":1,"subscribe":"c"}'],
    ['object for a list', wrap('"tf":{"vals":{}}')],
    ['number in a list of strings', wrap('"tf":{"vals":[1]}')],
    ['null in a list', wrap('"tf":{"vals":[null]}')],
    ['array for a map', '{"connect":{"headers":[]}}'],
    ['number as map value', '{"connect":{"headers":{"a":1}}}'],
  ])('%s', (_, frame) => {
    expect(fault(frame)).toBe('type_mismatch');
  });
});

describe('values that are accepted', () => {
  const subscribe = (members: string) => {
    const [command] = commands(`{"id":4294967295,"subscribe":{${members}}}`);
    if (command?.kind !== 'subscribe') throw new Error('not a subscribe');
    return command.request;
  };

  it('numbers up to the bounds of their field', () => {
    expect(subscribe('"offset":9007199254740991').offset).toBe(Number.MAX_SAFE_INTEGER);
    expect(subscribe('"offset":18446744073709551615').offset).toBe(2 ** 64);
    expect(subscribe('"flag":-9223372036854775807').flag).toBe(-(2 ** 63));
    expect(subscribe('"type":-2147483648').type).toBe(-(2 ** 31));
    expect(subscribe('"type":2147483647').type).toBe(2 ** 31 - 1);
    expect(subscribe('"flag":-0').flag).toBe(0);
    expect(commands('{"id":4294967295}')[0]?.id).toBe(2 ** 32 - 1);
  });

  it('zero values and null, which mean absent', () => {
    const absent = subscribe('');
    expect(subscribe('"channel":"","offset":0,"recover":false,"tf":null,"token":null,"flag":null')).toEqual(
      absent,
    );
    expect(commands('{"id":null,"connect":null,"send":{"data":1}}')[0]).toMatchObject({
      id: 0,
      kind: 'send',
    });
    expect(commands('{"connect":{"headers":{"a":null,"b":"c"},"subs":null}}')[0]).toMatchObject({
      request: { headers: new Map([['b', 'c']]), subs: new Map() },
    });
  });

  it('unknown members of any shape', () => {
    expect(
      subscribe('"nope":{"a":[1,"}",{"b":null}]},"channel":"c","":1,"channe":2,"channels":3'),
    ).toMatchObject({ channel: 'c' });
  });

  it('names and strings written with escapes', () => {
    expect(subscribe('"ch\\u0061nnel":"a\\u00e9\\n\\"\\\\\\/\\ud83d\\ude00","\\u00e9":1')).toMatchObject({
      channel: 'aé\n"\\/😀',
    });
  });

  it('a lone surrogate, which becomes U+FFFD', () => {
    expect(subscribe('"channel":"a\\ud800b"').channel).toBe('a\ufffdb');
  });

  it('members in any order, the last of two alike', () => {
    expect(commands('{"rpc":{"method":"a","method":"b"},"id":1,"id":2}')).toMatchObject([
      { id: 2, request: { method: 'b' } },
    ]);
  });

  it('map keys that are special in JavaScript', () => {
    const [command] = commands('{"connect":{"headers":{"__proto__":"x","constructor":"y"}}}');
    expect(command?.kind === 'connect' && [...command.request.headers]).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('raw payload members', () => {
  it.each([
    '{}',
    '[]',
    '0',
    'null',
    'true',
    '"text"',
    '{"a":1,"a":2}',
    '[1.0,1e400,12345678901234567890]',
    '{ "a" : [ 1 , 2 ] }',
    '"\\u00e9\\/\\ud800"',
    '"é€😀\u2028"',
    '-0.0E+10',
  ])('%s comes out byte for byte', json => {
    expect(payload(json)).toBe(json);
  });

  it('CR between tokens is removed, other white space stays', () => {
    expect(payload('{\r"a":\t[1,\r\r 2]\r}')).toBe('{"a":\t[1, 2]}');
  });

  it('null is a value, an absent member is not', () => {
    expect(payload('null')).toBe('null');
    expect(commands('{"id":1,"rpc":{}}')[0]).toMatchObject({ request: { data: null } });
  });

  it('is a copy: the frame may be used again', () => {
    const frame = utf8(`{"publish":{"channel":"c","data":"${'x'.repeat(300)}"}}`);
    const [command] = commands(frame);
    frame.fill(0x21);
    expect(command?.kind === 'publish' && text(command.request.data.bytes)).toBe(`"${'x'.repeat(300)}"`);
  });

  it('keeps at most 8 KiB alive besides itself', () => {
    for (const size of [10, 100, 1_000, 5_000, 50_000]) {
      const [command] = commands(`{"publish":{"channel":"c","data":"${'x'.repeat(size)}"}}`);
      if (command?.kind !== 'publish') throw new Error('not a publish');
      const { bytes } = command.request.data;
      expect(bytes.buffer.byteLength).toBeLessThanOrEqual(Math.max(8_192, bytes.length));
    }
  });

  it('comes classified as JSON', () => {
    const [command] = commands('{"publish":{"channel":"c","data":{"a":1}}}');
    expect(command?.kind === 'publish' && command.request.data.kind).toBe('json');
  });
});

describe('precedence (client protocol 6.1)', () => {
  const ORDER = [
    'connect',
    'subscribe',
    'unsubscribe',
    'publish',
    'presence',
    'presence_stats',
    'history',
    'rpc',
    'send',
    'refresh',
    'sub_refresh',
    'ping',
  ];
  it.each(ORDER.map((kind, i) => [kind, ORDER.slice(i)] as const))(
    '%s wins over what follows it',
    (kind, members) => {
      const forwards = `{${members.map(name => `"${name}":{}`).join(',')}}`;
      const backwards = `{${members
        .toReversed()
        .map(name => `"${name}":{}`)
        .join(',')},"id":3}`;
      expect(commands(forwards)[0]?.kind).toBe(kind);
      expect(commands(backwards)[0]).toMatchObject({ id: 3, kind });
    },
  );

  it('every member is decoded, also one that loses', () => {
    expect(fault('{"connect":{},"ping":5}')).toBe('type_mismatch');
  });

  it('nothing at all is a pong', () => {
    expect(commands('{}')).toEqual([{ id: 0, kind: 'none', request: null }]);
    expect(commands('{"unknown":{}}')).toEqual([{ id: 0, kind: 'none', request: null }]);
  });
});

describe('limits', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const filter = (depth: number): string => (depth === 0 ? '{}' : `{"nodes":[${filter(depth - 1)}]}`);

  it.each<[string, string, DecodeErrorCode | 'none']>([
    ['a payload 512 deep', `{"rpc":{"data":${nested(512)}}}`, 'none'],
    ['a payload 513 deep', `{"rpc":{"data":${nested(513)}}}`, 'too_deep'],
    ['an unknown member 513 deep', `{"x":${nested(513)}}`, 'too_deep'],
    ['100 000 brackets', `{"x":${'['.repeat(100_000)}`, 'too_deep'],
    ['messages 50 deep', `{"subscribe":{"tf":${filter(50)}}}`, 'none'],
    ['messages 70 deep', `{"subscribe":{"tf":${filter(70)}}}`, 'too_deep'],
    ['4 096 items', `{"subscribe":{"tf":{"vals":[${Array(4_096).fill('""').join(',')}]}}}`, 'none'],
    ['4 097 items', `{"subscribe":{"tf":{"vals":[${Array(4_097).fill('""').join(',')}]}}}`, 'too_many'],
    ['4 097 map entries', `{"connect":{"headers":{${Array(4_097).fill('"a":""').join(',')}}}}`, 'too_many'],
  ])('%s: %s', (_, frame, code) => {
    expect(fault(frame)).toBe(code);
  });

  it('items are counted per command', () => {
    const one = `{"subscribe":{"tf":{"vals":[${Array(3_000).fill('""').join(',')}]}}}`;
    expect(commands(`${one}\n${one}`)).toHaveLength(2);
  });
});
