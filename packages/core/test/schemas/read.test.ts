import { readChannelPattern, readSnapshot } from '@msg/core/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const problem = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    expect(error).toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    return (error as Error).message;
  }
  return 'fine';
};
const deep = (levels: number): object => (levels === 0 ? {} : { items: deep(levels - 1) });

describe('channel patterns as they come in', () => {
  test('a whole one is read as it is; names and version may be left out', () => {
    const whole = {
      pattern: 'orders:{id}',
      description: 'orders',
      version: 3,
      aspects: {
        status: {
          name: 'status',
          description: 'where it stands',
          payload_schema: {
            type: 'object',
            required: ['state'],
            properties: { state: { type: 'string', enum: ['open', 'paid'] }, __proto__x: {} },
            additionalProperties: false,
          },
          required: true,
        },
      },
      acl: { publish_roles: ['shop'], subscribe_roles: [], notes: 'n' },
    };
    expect(readChannelPattern(whole)).toEqual(whole);
    expect(readChannelPattern({ pattern: 'a' })).toEqual({ pattern: 'a', version: 0, aspects: {} });
    expect(readChannelPattern({ pattern: 'a', aspects: { b: {} } }).aspects).toEqual({ b: { name: 'b' } });
  });

  test('reading is idempotent, members in one order', () => {
    const given = { aspects: { b: { payload_schema: { items: {}, type: 'array' } } }, pattern: 'a', acl: {} };
    const once = JSON.stringify(readChannelPattern(given));
    expect(JSON.stringify(readChannelPattern(JSON.parse(once)))).toBe(once);
  });

  test.each([
    [null, 'schema: must be an object'],
    [[], 'schema: must be an object'],
    [{}, 'schema.pattern: must be a string'],
    [{ pattern: 'a', extra: 1 }, 'schema.extra: is not known'],
    [{ pattern: 'a', version: -1 }, 'schema.version: must be a whole number, 0 or more'],
    [{ pattern: 'a', version: 1.5 }, 'schema.version: must be a whole number, 0 or more'],
    [{ pattern: 'a', aspects: [] }, 'schema.aspects: must be an object'],
    [{ pattern: 'a', aspects: { b: 1 } }, 'schema.aspects.b: must be an object'],
    [{ pattern: 'a', aspects: { b: { name: 'c' } } }, 'schema.aspects.b.name: must be "b"'],
    [
      { pattern: 'a', aspects: { b: { payload_schema: { type: 'date' } } } },
      'schema.aspects.b.payload_schema.type: must be one of object, array, string, number, integer, boolean, null',
    ],
    [
      { pattern: 'a', aspects: { b: { payload_schema: { $ref: '#' } } } },
      'schema.aspects.b.payload_schema.$ref: is not known',
    ],
    [
      { pattern: 'a', aspects: { b: { payload_schema: { properties: { x: { enum: [] } } } } } },
      'schema.aspects.b.payload_schema.properties.x.enum: must be a list of values',
    ],
    [{ pattern: 'a', acl: { roles: [] } }, 'schema.acl.roles: is not known'],
    [{ pattern: 'a', acl: { notes: 1 } }, 'schema.acl.notes: must be a string'],
  ])('%j: %s', (given, expected) => {
    expect(problem(() => readChannelPattern(given))).toBe(expected);
  });

  test('no deeper than 32 levels, no wider than 1000 members', () => {
    const of = (payload_schema: object) => ({ pattern: 'a', aspects: { b: { payload_schema } } });
    expect(problem(() => readChannelPattern(of(deep(31))))).toBe('fine');
    expect(problem(() => readChannelPattern(of(deep(32))))).toMatch(/nested more than 32 levels deep$/);
    expect(problem(() => readChannelPattern(of(deep(5000))))).toMatch(/nested more than 32 levels deep$/);
    const wide = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, {}]));
    expect(problem(() => readChannelPattern(of({ properties: wide(1000) })))).toBe('fine');
    expect(problem(() => readChannelPattern(of({ properties: wide(1001) })))).toMatch(
      /more than 1000 members$/,
    );
  });

  test('any JSON is read or refused, never anything else', () => {
    fc.assert(fc.property(fc.jsonValue(), value => void problem(() => readChannelPattern(value))));
    fc.assert(fc.property(fc.jsonValue(), value => void problem(() => readSnapshot(value))));
  });
});

describe('snapshots', () => {
  test('are sorted by pattern; one that is there twice is refused', () => {
    const { patterns, at } = readSnapshot({ patterns: [{ pattern: 'b' }, { pattern: 'a' }], at: 'now' });
    expect([patterns.map(({ pattern }) => pattern), at]).toEqual([['a', 'b'], 'now']);
    expect(problem(() => readSnapshot({ patterns: [{ pattern: 'a' }, { pattern: 'a' }] }))).toBe(
      'snapshot.patterns[1]: "a" is there twice',
    );
    expect(readSnapshot({})).toEqual({ patterns: [], at: '' });
  });
});
