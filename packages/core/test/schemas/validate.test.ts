import type { ChannelPattern, PayloadSchema } from '@msg/core';
import { findMisfit, findViolation } from '@msg/core/internal';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const ORDER: PayloadSchema = {
  type: 'object',
  required: ['id', 'lines'],
  properties: {
    id: { type: 'integer' },
    state: { enum: ['open', 'paid'] },
    lines: {
      type: 'array',
      items: { type: 'object', required: ['qty'], properties: { qty: { type: 'number' } } },
    },
  },
  additionalProperties: { type: 'string' },
};

test.each([
  [{ id: 1, lines: [] }, undefined],
  [{ id: 1, lines: [{ qty: 1.5, more: null }], note: 'n' }, undefined],
  [[], '$ must be of type object, is array'],
  [null, '$ must be of type object, is null'],
  [{ lines: [] }, '$.id is required'],
  [{ id: 1.5, lines: [] }, '$.id must be of type integer, is number'],
  [{ id: 1, lines: [{ qty: 1 }, {}] }, '$.lines[1].qty is required'],
  [{ id: 1, lines: [], state: 'lost' }, '$.state must be one of the listed values'],
  [{ id: 1, lines: [], 'odd name': 5 }, '$["odd name"] must be of type string, is number'],
])('%j: %s', (value, expected) => {
  const violation = findViolation(value, ORDER);
  expect(violation === undefined ? undefined : `${violation.path} ${violation.problem}`).toBe(expected);
});

const schemaOf = (...schemas: readonly (PayloadSchema | undefined)[]): ChannelPattern => ({
  pattern: 'public:shop.{id}',
  version: 1,
  aspects: Object.fromEntries(
    schemas.map((payload_schema, at) => {
      const name = `a${at}`;
      return [name, payload_schema === undefined ? { name } : { name, payload_schema }];
    }),
  ),
});

test.each([
  ['one of its aspects', schemaOf({ type: 'string' }, { type: 'number' }), 7, undefined],
  ['an aspect without a schema', schemaOf({ type: 'string' }, undefined), 7, undefined],
  ['a schema without aspects', schemaOf(), undefined, undefined],
  [
    'no aspect',
    schemaOf({ type: 'string' }, ORDER),
    { lines: [] },
    'a0: $ must be of type string, is object; a1: $.id is required',
  ],
  ['no aspect, without being JSON', schemaOf({ type: 'string' }), undefined, '$ must be JSON'],
])('a payload that fits %s', (_what, schema, value, expected) => {
  expect(findMisfit(schema, value)).toBe(expected);
});

test('members of Object.prototype are members like any other', () => {
  expect(findViolation({}, { required: ['toString'] })?.path).toBe('$.toString');
  expect(findViolation({ constructor: 1 }, { additionalProperties: false })?.path).toBe('$.constructor');
});

test('what is announced never shows a value', () => {
  const secret = 'secret-value';
  const violation = findViolation({ id: secret }, { properties: { id: { enum: ['a'] } } });
  expect(JSON.stringify(violation)).not.toContain(secret);
});

test('agrees with a full JSON Schema validator', () => {
  const scalar = fc.oneof(fc.constantFrom<unknown>(null, true, 0, 1, 1.5, '', 'a', 'b'), fc.integer());
  const value = fc.letrec<{ any: unknown }>(tie => ({
    any: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 3 }),
    ),
  })).any;
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 });
  const schema = fc.letrec<{ any: PayloadSchema }>(tie => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constant({}),
      fc.record(
        {
          type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null'),
          required: names,
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 3 }),
          items: tie('any'),
          additionalProperties: fc.oneof(fc.boolean(), tie('any')),
          enum: fc.array(scalar, { minLength: 1, maxLength: 3 }),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<PayloadSchema>,
    ),
  })).any;
  const ajv = new Ajv2020({ strict: false });
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 5 }), (given, values) => {
      const validate = ajv.compile(given);
      for (const one of values) expect(findViolation(one, given) === undefined).toBe(validate(one));
      ajv.removeSchema();
    }),
    { numRuns: 300 },
  );
});
