import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Infer, ShapeError, type ShapeErrorDetails } from '#src/shape/field.ts';
import { object, optional, required } from '#src/shape/object.ts';
import { anyJson, flag, list, text, textThat } from '#src/shape/values.ts';

const request = object({
  id: required(
    textThat('a non-empty text', value => value !== '', { minLength: 1 }),
    'its id',
  ),
  ops: optional(anyJson, 'what to do'),
  dry: optional(flag, 'nothing is stored'),
  parts: optional(list(object({ name: required(text, 'its name') })), 'its parts'),
});

function problemOf(value: unknown): ShapeErrorDetails {
  try {
    request.read(value, '');
  } catch (error) {
    if (error instanceof ShapeError) return error.details;
    throw error;
  }
  throw new Error('it was read');
}

describe('an object that is read strictly', () => {
  it('has its members, absent ones left out', () => {
    const value = { id: 'a', ops: null, parts: [{ name: 'x' }] };
    expect(request.read(value, '')).toEqual(value);
    expect(request.read({ id: 'a' }, '')).toEqual({ id: 'a' });
    expectTypeOf<Infer<typeof request>['id']>().toEqualTypeOf<string>();
    expectTypeOf<Infer<typeof request>['dry']>().toEqualTypeOf<boolean | undefined>();
  });

  it.each([
    [[], { problem: 'type', path: '' }],
    ['x', { problem: 'type', path: '' }],
    [{}, { problem: 'missing', path: 'id' }],
    [{ id: '' }, { problem: 'type', path: 'id', expected: 'must be a non-empty text', value: '' }],
    [
      { id: 'a', dry: 1 },
      { problem: 'type', path: 'dry', expected: 'must be a boolean', value: 1 },
    ],
    [
      { id: 'a', dry: null },
      { problem: 'type', path: 'dry' },
    ],
    [
      { id: 'a', Ops: [] },
      { problem: 'unknown', path: 'Ops', known: ['id', 'ops', 'dry', 'parts'] },
    ],
    [
      { id: 'a', parts: [{}] },
      { problem: 'missing', path: 'parts[0].name' },
    ],
    [
      { id: 'a', parts: [{ name: 'x', y: 1 }] },
      { problem: 'unknown', path: 'parts[0].y' },
    ],
    [JSON.parse('{"id":"a","__proto__":{}}'), { problem: 'unknown', path: '__proto__' }],
    [
      { id: 'a', toString: 1 },
      { problem: 'unknown', path: 'toString' },
    ],
  ])('%j is refused: %j', (value, problem) => expect(problemOf(value)).toMatchObject(problem));

  it('says what is wrong', () => {
    expect(() => request.read({ id: 'a', parts: [{ name: 7 }] }, '')).toThrow(
      'parts[0].name must be a string',
    );
    expect(() => request.read({}, '')).toThrow('id is required');
    expect(() => request.read({ id: 'a', x: 1 }, '')).toThrow('x does not exist; known: id, ops, dry, parts');
  });

  it('is written as it was read', () => {
    const value = { id: 'a', dry: true, parts: [{ name: 'x' }] };
    expect(request.write(request.read(value, ''))).toEqual(value);
  });

  it('has a JSON Schema that judges as the reader does', () => {
    const schema = request.schema({ written: false, closed: true });
    const judge = new Ajv2020({ strict: true }).compile(schema);
    const values = [
      { id: 'a' },
      { id: 'a', ops: null, dry: true, parts: [{ name: 'x' }] },
      {},
      { id: '' },
      { id: 'a', dry: 1 },
      { id: 'a', x: 1 },
      { id: 'a', parts: [{}] },
      [],
    ];
    const reads = (value: unknown): boolean => {
      try {
        request.read(value, '');
        return true;
      } catch {
        return false;
      }
    };
    expect(values.map(value => judge(value))).toEqual(values.map(reads));
    expect(schema).toMatchObject({ properties: { id: { description: 'its id' } }, required: ['id'] });
  });
});
