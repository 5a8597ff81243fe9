import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_JSON_LEVELS, MAX_JSON_MEMBERS, requireBoundedJson } from '#src/http/json-bounds.ts';

function levels(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levels));
}

const accepts = (text: string): boolean => {
  try {
    requireBoundedJson(text);
    return true;
  } catch {
    return false;
  }
};

/** A string of a JSON text that looks like structure. */
const text = fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ':', ',', 'ä', '😀', 'a') });
const value = fc.letrec(tie => ({
  any: fc.oneof(
    { depthSize: 'large', withCrossShrink: true },
    text,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(text, tie('any'), { maxKeys: 3 }),
  ),
})).any;

function wrapped(inner: unknown, count: number): unknown {
  let outer = inner;
  for (let level = 0; level < count; level++) outer = level % 2 === 0 ? [outer] : { '"{[:': outer };
  return outer;
}

describe('the bounds of JSON', () => {
  it('count the levels that the parser would, whatever strings hold', () => {
    fc.assert(
      fc.property(value, fc.integer({ min: 50, max: 70 }), (inner, count) => {
        const whole = wrapped(inner, count);
        expect(accepts(JSON.stringify(whole))).toBe(levels(whole) <= MAX_JSON_LEVELS);
      }),
    );
  });

  it('count the members of each object alone', () => {
    const object = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`:"${index}`, ':'])));
    expect(accepts(object(MAX_JSON_MEMBERS))).toBe(true);
    expect(accepts(object(MAX_JSON_MEMBERS + 1))).toBe(false);
    expect(accepts(`{"a":${object(9999)},"b":${object(9999)}}`)).toBe(true);
    expect(accepts(`{"a":{"b":{}},"c":${object(MAX_JSON_MEMBERS + 1)}}`)).toBe(false);
    expect(accepts(JSON.stringify(Array(50_000).fill({ a: 0 })))).toBe(true);
  });

  it('leave what is not JSON to the parser', () => {
    for (const broken of ['', '}', ']]]]', '"', '"\\', '{"a":"', '\\"', ':', ',']) {
      expect(accepts(broken)).toBe(true);
    }
    expect(accepts('['.repeat(65))).toBe(false);
    expect(accepts(`"${'\\'.repeat(100_000)}`)).toBe(true);
  });
});
