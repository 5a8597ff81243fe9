import type { ChannelPattern, PayloadSchema } from '@msg/core';
import { compareSchemas, findViolation } from '@msg/core/internal';
import { describe, expect, test } from 'vitest';

const patternOf = (payload_schema: PayloadSchema, required?: boolean): ChannelPattern => ({
  pattern: 'a',
  version: 0,
  aspects: { b: { name: 'b', payload_schema, ...(required === undefined ? {} : { required }) } },
});
const base = 'aspects.b.payload_schema';
const object = (properties: Record<string, PayloadSchema>, more: PayloadSchema = {}): PayloadSchema => ({
  type: 'object',
  properties,
  ...more,
});

describe('what an update means for readers', () => {
  test.each<[string, PayloadSchema, PayloadSchema, string[], string[]]>([
    ['nothing changes', object({ x: {} }), object({ x: {} }), [], []],
    ['a new property', object({}), object({ x: {} }), [], [`${base}.properties.x`]],
    [
      'a new property where strangers were forbidden',
      object({}, { additionalProperties: false }),
      object({ x: {} }),
      [`${base}.additionalProperties`, `${base}.properties.x`],
      [],
    ],
    ['a property goes', object({ x: {} }), object({}), [`${base}.properties.x`], []],
    [
      'a type changes',
      object({ x: { type: 'string' } }),
      object({ x: { type: 'number' } }),
      [`${base}.properties.x.type`],
      [],
    ],
    ['a type goes', { type: 'string' }, {}, [`${base}.type`], []],
    ['a type comes', {}, { type: 'string' }, [], []],
    ['a number becomes an integer', { type: 'number' }, { type: 'integer' }, [], [`${base}.type`]],
    ['an integer becomes a number', { type: 'integer' }, { type: 'number' }, [`${base}.type`], []],
    [
      'no longer required',
      object({ x: {} }, { required: ['x'] }),
      object({ x: {} }),
      [`${base}.required.x`],
      [],
    ],
    [
      'required from now on',
      object({ x: {} }),
      object({ x: {} }, { required: ['x'] }),
      [],
      [`${base}.required.x`],
    ],
    ['one more value', { enum: ['a'] }, { enum: ['a', 'b'] }, [`${base}.enum`], []],
    ['one value less', { enum: ['a', 'b'] }, { enum: ['a'] }, [], []],
    ['any value', { enum: ['a'] }, {}, [`${base}.enum`], []],
    ['inside items', { items: { type: 'string' } }, { items: { type: 'null' } }, [`${base}.items.type`], []],
    ['strangers are forbidden', {}, { additionalProperties: false }, [], []],
  ])('%s', (_, before, after, breaking, additive) => {
    const { compatible, changes } = compareSchemas(patternOf(before), patternOf(after));
    const pathsOf = (kind: string) => changes.filter(change => change.kind === kind).map(({ path }) => path);
    expect([pathsOf('breaking'), pathsOf('additive')]).toEqual([breaking, additive]);
    expect(compatible).toBe(breaking.length === 0);
  });

  test('aspects come and go', () => {
    const without: ChannelPattern = { pattern: 'a', version: 0, aspects: {} };
    expect(compareSchemas(without, patternOf({}))).toEqual({
      compatible: true,
      changes: [{ path: 'aspects.b', kind: 'additive', text: 'the aspect is new' }],
    });
    expect(compareSchemas(patternOf({}), without)).toEqual({
      compatible: false,
      changes: [{ path: 'aspects.b', kind: 'breaking', text: 'the aspect is gone' }],
    });
    expect(compareSchemas(patternOf({}, true), patternOf({})).changes).toMatchObject([
      { path: 'aspects.b.required', kind: 'breaking' },
    ]);
  });

  test('whatever fits a narrower schema fits the wider one it came from', () => {
    const wide = object({ n: { type: 'number' } });
    const narrow = object({ n: { type: 'integer' }, extra: { type: 'string' } });
    expect(compareSchemas(patternOf(wide), patternOf(narrow)).compatible).toBe(true);
    for (const value of [{ n: 1 }, { n: 1, extra: 'x' }, {}]) {
      expect(findViolation(value, narrow)).toBeUndefined();
      expect(findViolation(value, wide)).toBeUndefined();
    }
  });
});
