import { describe, expect, it } from 'vitest';
import { ShapeError, type UnknownMember } from '#src/shape/field.ts';
import { message } from '#src/shape/message.ts';
import { anyJson, flag, int32, int64, list, nullable, text, textMap, uint64 } from '#src/shape/values.ts';

const shape = message(
  {
    name: text,
    ttl_seconds: int64,
    count: int32,
    offset: uint64,
    deny: flag,
    tags: textMap,
    verbs: list(text),
    inner: nullable(message({ key_id: text })),
  },
  { name: ['alias'] },
);

describe('reading messages', () => {
  it('both casings, strings as integers, nulls, unknown members and aliases', () => {
    expect(shape.read({ ttlSeconds: '60', count: 7, name: null, other: 1 }, '').ttl_seconds).toBe(60);
    expect(shape.read({ ttl_seconds: 60, alias: 'x' }, '')).toMatchObject({ ttl_seconds: 60, name: 'x' });
    expect(shape.read({ inner: { keyId: 'k' } }, '').inner).toEqual({ key_id: 'k' });
  });

  it('unknown members are collected with their paths, and what is known there', () => {
    const unknown: UnknownMember[] = [];
    const nested = message({ name: text, scopes: list(shape), data: anyJson, any: anyJson });
    const scope = { inner: { keyId: 'k', kid: 1 }, tags: { free: 'x' }, verb: [] };
    const value = { name: 'a', scopes: [{}, scope], data: { opaque: 1 }, any: { opaque: 2 }, Name: 1 };
    nested.read(value, '', unknown);
    expect(unknown.map(({ path }) => path)).toEqual(['Name', 'scopes[1].verb', 'scopes[1].inner.kid']);
    expect(unknown[0]?.known).toEqual(['name', 'scopes', 'data', 'any']);
    expect(unknown[2]?.known).toEqual(['keyId']);
  });

  it('what one message holds is not in the next', () => {
    const full = { name: 'n', count: 1, tags: { a: 'b' }, verbs: ['v'], inner: { keyId: 'k' } };
    const absent = { name: '', count: 0, tags: new Map(), verbs: [], inner: null };
    expect(shape.read(full, '')).toMatchObject({ name: 'n', count: 1, verbs: ['v'], inner: { key_id: 'k' } });
    expect(shape.read({}, '')).toMatchObject(absent);
    expect(shape.zero()).toMatchObject(absent);
  });

  it('absent fields are zero values', () => {
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

  it.each([
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
    expect(() => shape.read(value, '')).toThrow(ShapeError);
  });

  it('names of the object prototype are ordinary text', () => {
    const body: unknown = JSON.parse('{"tags":{"__proto__":"x"},"__proto__":{"name":"evil"}}');
    const read = shape.read(body, '');
    expect(read.name).toBe('');
    expect([...read.tags]).toEqual([['__proto__', 'x']]);
    expect(JSON.stringify(shape.write(read))).toContain('"__proto__":"x"');
  });
});

describe('writing messages', () => {
  it('every field is emitted, snake_case only', () => {
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
