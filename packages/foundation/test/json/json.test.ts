import { describe, expect, expectTypeOf, it } from 'vitest';
import { defined } from '#src/json/defined.ts';
import { isRecord } from '#src/json/record.ts';

describe('isRecord', () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)], [JSON.parse('{"__proto__": 1}')]])('takes %j', value => {
    expect(isRecord(value)).toBe(true);
  });

  it.each([[null], [undefined], [[]], [[{}]], ['{}'], [1], [true], [() => {}]])('refuses %j', value => {
    expect(isRecord(value)).toBe(false);
  });
});

describe('defined', () => {
  it('leaves out what is undefined, and nothing else', () => {
    const members = { a: 1, b: undefined, c: null, d: '', e: 0, f: false };
    expect(Object.entries(defined(members))).toEqual([
      ['a', 1],
      ['c', null],
      ['d', ''],
      ['e', 0],
      ['f', false],
    ]);
    expect(members).toHaveProperty('b');
  });

  it('copies a member named __proto__ as a member', () => {
    const copy = defined(JSON.parse('{"__proto__": {"admin": true}}'));
    expect(Object.hasOwn(copy, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it('has types that fit options whose members may be absent but not undefined', () => {
    const name: string | undefined = ['x'][0];
    const options: { readonly id: number; readonly name?: string } = defined({ id: 1, name });
    expect(options).toEqual({ id: 1, name: 'x' });
    expectTypeOf(defined({ id: 1, name }).id).toEqualTypeOf<number>();
    expectTypeOf(defined({ id: 1, name }).name).toEqualTypeOf<string | undefined>();
    // @ts-expect-error a member that may be absent does not fit one that must be there
    const strict: { readonly name: string } = defined({ name });
    expect(strict).toEqual({ name: 'x' });
  });
});
