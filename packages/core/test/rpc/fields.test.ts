import { describe, expect, test } from 'vitest';
import {
  bool,
  i32,
  i64,
  json,
  list,
  message,
  optional,
  str,
  stringMap,
  type UnknownMember,
  u64,
} from '#src/rpc/fields.ts';
import { publishData } from '#src/rpc/publish-data.ts';
import { MalformedRequest } from '#src/rpc/twirp.ts';

const shape = message(
  {
    name: str,
    ttl_seconds: i64,
    count: i32,
    offset: u64,
    deny: bool,
    tags: stringMap,
    verbs: list(str),
    inner: optional(message({ key_id: str })),
  },
  { name: ['alias'] },
);

describe('reading messages', () => {
  test('both casings, strings as integers, nulls, unknown members and aliases', () => {
    expect(shape.read({ ttlSeconds: '60', count: 7, name: null, other: 1 }, '').ttl_seconds).toBe(60);
    expect(shape.read({ ttl_seconds: 60, alias: 'x' }, '')).toMatchObject({ ttl_seconds: 60, name: 'x' });
    expect(shape.read({ inner: { keyId: 'k' } }, '').inner).toEqual({ key_id: 'k' });
  });

  test('unknown members are collected with their paths, and what is known there', () => {
    const unknown: UnknownMember[] = [];
    const nested = message({ name: str, scopes: list(shape), data: publishData, any: json });
    const scope = { inner: { keyId: 'k', kid: 1 }, tags: { free: 'x' }, verb: [] };
    const value = { name: 'a', scopes: [{}, scope], data: { opaque: 1 }, any: { opaque: 2 }, Name: 1 };
    nested.read(value, '', unknown);
    expect(unknown.map(({ path }) => path)).toEqual(['Name', 'scopes[1].verb', 'scopes[1].inner.kid']);
    expect(unknown[0]?.known).toEqual(['name', 'scopes', 'data', 'any']);
    expect(unknown[2]?.known).toEqual(['keyId']);
  });

  test('absent fields are zero values', () => {
    expect(shape.read({}, '')).toEqual({
      name: '',
      ttl_seconds: 0,
      count: 0,
      offset: 0,
      deny: false,
      tags: new Map(),
      verbs: [],
      inner: null,
    });
  });

  test.each([
    [{ ttlSeconds: 1, ttl_seconds: 1 }],
    [{ name: 'a', alias: 'b' }],
    [{ name: 7 }],
    [{ ttl_seconds: 1.5 }],
    [{ ttl_seconds: '1.5' }],
    [{ ttl_seconds: 'x' }],
    [{ ttl_seconds: true }],
    [{ count: 2 ** 31 }],
    [{ offset: -1 }],
    [{ offset: '9007199254740993' }],
    [{ deny: 'true' }],
    [{ tags: { a: 1 } }],
    [{ tags: [] }],
    [{ verbs: 'subscribe' }],
    [{ verbs: [1] }],
    [{ inner: 'x' }],
    [[]],
    ['x'],
  ])('%j is malformed', value => {
    expect(() => shape.read(value, '')).toThrow(MalformedRequest);
  });

  test('names of the object prototype are ordinary text', () => {
    const body: unknown = JSON.parse('{"tags":{"__proto__":"x"},"__proto__":{"name":"evil"}}');
    const read = shape.read(body, '');
    expect(read.name).toBe('');
    expect([...read.tags]).toEqual([['__proto__', 'x']]);
    expect(JSON.stringify(shape.write(read))).toContain('"__proto__":"x"');
  });
});

describe('writing messages', () => {
  test('every field is emitted, snake_case only', () => {
    const partial = shape.read({ name: 'n' }, '');
    expect(shape.write(partial)).toEqual({
      name: 'n',
      ttl_seconds: 0,
      count: 0,
      offset: 0,
      deny: false,
      tags: {},
      verbs: [],
      inner: null,
    });
  });
});

describe('publish data', () => {
  const text = (value: unknown) => Buffer.from(publishData.read(value, 'data')).toString();
  test.each([
    ['eyJoZWxsbyI6IndvcmxkIn0=', '{"hello":"world"}'],
    ['eyJoZWxsbyI6IndvcmxkIn0', '{"hello":"world"}'],
    ['hello world', 'hello world'],
    ['YR==', 'YR=='],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [[1], '[1]'],
    [1.5, '1.5'],
    [false, 'false'],
    ['', ''],
  ])('%j becomes %s', (value, expected) => {
    expect(text(value)).toBe(expected);
  });
});
