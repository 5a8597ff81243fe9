import { describe, expect, it } from 'vitest';
import { parseChangeset } from '#src/changeset/parse.ts';
import { DashError } from '#src/errors.ts';

function fault(patch: unknown): { code: string; details: object } | undefined {
  try {
    parseChangeset(patch);
  } catch (error) {
    if (error instanceof DashError) return { code: error.code, details: error.details };
    throw error;
  }
  return undefined;
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

describe('the syntax of a changeset', () => {
  it.each([
    ['not an array', {}, {}],
    ['an element that is no object', [[]], { index: 0 }],
    ['a null element', [null], { index: 0 }],
    ['no op', [{ path: '/a' }], { index: 0, member: 'op' }],
    ['an unknown op', [{ op: 'merge', path: '/a' }], { index: 0, op: 'merge' }],
    ['no path', [{ op: 'remove' }], { op: 'remove', member: 'path' }],
    ['a path that is no string', [{ op: 'remove', path: 1 }], { member: 'path' }],
    [
      'an infinite value',
      [{ op: 'test', path: '/a', value: { b: [JSON.parse('1e400')] } }],
      { member: 'value' },
    ],
    ['no value', [{ op: 'add', path: '/a/b' }], { op: 'add', member: 'value' }],
    [
      'no from',
      [
        { op: 'test', path: '/a', value: 1 },
        { op: 'move', path: '/a' },
      ],
      { index: 1, member: 'from' },
    ],
    ['too many operations', Array.from({ length: 1001 }, () => ({ op: 'remove', path: '/a' })), {}],
    ['nesting beyond 256 levels', [{ op: 'add', path: '/a/b', value: nested(300) }], {}],
  ])('refuses %s with PATCH_INVALID', (_name, patch, details) => {
    expect(fault(patch)).toMatchObject({
      code: 'PATCH_INVALID',
      details: { ...details, reason: expect.any(String) },
    });
  });

  it.each([
    ['an empty pointer', ''],
    ['no leading slash', 'a'],
    ['an empty first segment', '//a'],
    ['a bad escape', '/a/~2'],
    ['a dangling escape', '/a/~'],
    ['__proto__', '/a/__proto__/b'],
  ])('refuses %s with PATCH_POINTER_INVALID', (_name, pointer) => {
    const expected = {
      code: 'PATCH_POINTER_INVALID',
      details: { index: 0, pointer, reason: expect.any(String) },
    };
    expect(fault([{ op: 'remove', path: pointer }])).toMatchObject(expected);
    expect(fault([{ op: 'move', path: '/a', from: pointer }])).toMatchObject(expected);
  });

  it('takes an empty changeset, a null value and members that an operation does not define', () => {
    expect(parseChangeset([])).toEqual([]);
    const [operation] = parseChangeset([{ op: 'add', path: '/a/b', value: null, note: 'why' }]);
    expect(operation).toEqual({ op: 'add', pointer: '/a/b', path: ['a', 'b'], value: null });
  });
});
