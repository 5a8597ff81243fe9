import { Payload, type PayloadKind } from '@msg/protocol';
import { classifyPayload, EMPTY_PAYLOAD, isUtf8, jsonForm, jsonString } from '@msg/protocol/internal';
import { describe, expect, it } from 'vitest';
import { hex, text, utf8 } from '../support/bytes.ts';
import { Random, SEED } from '../support/random.ts';

describe('classification (client protocol 2.1)', () => {
  it.each<[string, Uint8Array, PayloadKind, string]>([
    ['an object', utf8('{"a":1}'), 'json', '{"a":1}'],
    ['white space around', utf8('\n {"a":\r\n1} \r'), 'json', ' {"a":1} '],
    ['a number of its own', utf8('12'), 'json', '12'],
    ['a string', utf8('"é\\n"'), 'json', '"é\\n"'],
    ['numbers beyond a double', utf8('[1e400,12345678901234567890]'), 'json', '[1e400,12345678901234567890]'],
    ['duplicate keys', utf8('{"a":1,"a":2}'), 'json', '{"a":1,"a":2}'],
    ['plain text', utf8('boom'), 'text', '"boom"'],
    ['text with what needs escapes', utf8('a"\\\n\u0001é'), 'text', '"a\\"\\\\\\n\\u0001é"'],
    ['two JSON values', utf8('{} {}'), 'text', '"{} {}"'],
    ['broken JSON', utf8('{"a":'), 'text', '"{\\"a\\":"'],
    ['nothing', new Uint8Array(0), 'text', '""'],
    ['only white space', utf8(' \n'), 'text', '" \\n"'],
    ['a byte order mark', utf8('\ufeff{}'), 'text', '"\ufeff{}"'],
    [
      'JSON nested 513 deep',
      utf8('['.repeat(513) + ']'.repeat(513)),
      'text',
      `"${'['.repeat(513)}${']'.repeat(513)}"`,
    ],
    ['bytes', hex('fffe'), 'binary', '"//4="'],
    ['JSON with bad UTF-8 inside', hex('22 c3 28 22'), 'binary', '"IsMoIg=="'],
    ['a surrogate in UTF-8', hex('ed a0 80'), 'binary', '"7aCA"'],
  ])('%s', (_, bytes, kind, json) => {
    expect(classifyPayload(bytes)).toBe(kind);
    expect(text(jsonForm(new Payload(bytes)))).toBe(json);
  });

  it('binary payloads of any length have the base64 that Node.js gives them', () => {
    const random = new Random(SEED);
    for (let length = 1; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i === 0 ? 0xff : random.below(256)));
      const expected = JSON.stringify(Buffer.from(bytes).toString('base64'));
      expect(text(new Payload(bytes).json), `seed ${SEED}, length ${length}`).toBe(expected);
    }
  });

  it('agrees with JSON.parse and TextDecoder on any bytes', () => {
    const random = new Random(SEED);
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    for (let i = 0; i < 20_000; i++) {
      const bytes = random.chance(0.5) ? mutated(random) : utf8(random.json());
      expect([classifyPayload(bytes), isUtf8(bytes)], `seed ${SEED}, case ${i}`).toEqual(
        judge(bytes, strict),
      );
    }
  });
});

function mutated(random: Random): Uint8Array {
  const bytes = utf8(random.json());
  for (let n = random.below(3); n > 0 && bytes.length > 0; n--)
    bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

function judge(bytes: Uint8Array, strict: TextDecoder): [PayloadKind, boolean] {
  let decoded: string;
  try {
    decoded = strict.decode(bytes);
  } catch {
    return ['binary', false];
  }
  try {
    JSON.parse(decoded);
    return ['json', true];
  } catch {
    return ['text', true];
  }
}

describe('caching', () => {
  it('the JSON form of JSON without line breaks is the same array', () => {
    const payload = new Payload(utf8('{"a":1}'));
    expect(payload.json).toBe(payload.bytes);
  });
  it('other forms are made once', () => {
    const payload = new Payload(utf8('boom'));
    expect(payload.json).toBe(payload.json);
  });
  it('what is known to be JSON is not looked at', () => {
    expect(Payload.ofJson(utf8('not JSON')).kind).toBe('json');
  });
  it('a payload of a payload is itself', () => {
    expect(Payload.of(EMPTY_PAYLOAD)).toBe(EMPTY_PAYLOAD);
  });
  it('a JSON string holds any text', () => {
    expect(text(jsonString(utf8('{"n":"é"}')).bytes)).toBe('"{\\"n\\":\\"é\\"}"');
  });
});

describe('a payload whose bytes are built later', () => {
  it('builds them once, when somebody asks, and is like any other', () => {
    let built = 0;
    const build = () => {
      built++;
      return new TextEncoder().encode('{"id":"m1"}');
    };
    const later = Payload.ofJsonLater(build);
    expect([later.kind, built]).toEqual(['json', 0]);
    expect(later.json).toBe(later.bytes);
    expect(new TextDecoder().decode(later.bytes)).toBe('{"id":"m1"}');
    expect(built).toBe(1);
    expect(Payload.of(later)).toBe(later);
    expect({ ...later }.bytes).toEqual(later.bytes);
    expect(later).not.toEqual(Payload.ofJsonLater(() => new Uint8Array([1])));
  });
});
