import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MsgError } from '#src/errors.ts';
import {
  coversPattern,
  matchesPattern,
  overlapsPattern,
  parsePattern,
  specificity,
} from '#src/scope-pattern.ts';

const channel = (text: string) => ({
  visibility: text.slice(0, text.indexOf(':')),
  segments: text.slice(text.indexOf(':') + 1).split('.'),
});

describe('scope patterns', () => {
  // The specification's table as printed, and the edges of messaging details 4.2.
  test.each([
    ['private:a.b.7', 'private:a.b.7', true],
    ['private:a.b.7', 'private:a.b.8', false],
    ['private:a.b.*', 'private:a.b.7', true],
    ['private:a.b.*', 'private:a.b.7.x', false],
    ['private:a.b.**', 'private:a.b.7', true],
    ['private:a.b.**', 'private:a.b.7.x.y', true],
    ['private:a.*', 'public:a.b', false],
    ['private:a.b.**', 'private:a.b', false],
    ['private:*.b.7', 'private:a.b.7', true],
    ['private:**', 'private:a.b.c', true],
    ['private:**', 'public:a.b.c', false],
    ['private:*', 'private:a.b', false],
    ['private:*.**', 'private:a.b.c.d', true],
  ])('%s on %s: %s', (pattern, name, expected) => {
    expect(matchesPattern(parsePattern(pattern), channel(name))).toBe(expected);
  });

  test.each([
    '',
    'a.b',
    '*:a.b',
    ':a.b',
    'team:a.b',
    'public:a.**.b',
    'public:a*',
    'public:a.***',
    'public:',
    'public:a..b',
    'public:A',
    'public:a.b:c',
    'public:1.2.3.4.5.6.7.8.9',
  ])('%j is refused with MSG_INVALID_ARGUMENT', text => {
    expect(() => parsePattern(text)).toThrow(MsgError);
    expect(() => parsePattern(text)).toThrow(expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' }));
  });

  test('more literals are more specific', () => {
    const order = ['public:**', 'public:*.**', 'public:*.*', 'public:a.**', 'public:a.*', 'public:a.b'];
    const values = order.map(text => specificity(parsePattern(text)));
    expect(values).toEqual([0, 1, 2, 4, 5, 8]);
  });

  test('the matcher agrees with a regular expression', () => {
    const segment = fc.constantFrom('a', 'b', 'c_1', '*');
    const patterns = fc.tuple(
      fc.constantFrom('public', 'private'),
      fc.array(segment, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
    );
    const names = fc.tuple(
      fc.constantFrom('public', 'private'),
      fc.array(fc.constantFrom('a', 'b', 'c_1'), { minLength: 1, maxLength: 6 }),
    );
    fc.assert(
      fc.property(patterns, names, ([visibility, segments, open], [nameVisibility, nameSegments]) => {
        const text = `${visibility}:${segments.join('.')}${open ? '.**' : ''}`;
        const name = `${nameVisibility}:${nameSegments.join('.')}`;
        const source = `${visibility}:${segments.map(s => (s === '*' ? '[^.]+' : s)).join('\\.')}`;
        const expression = new RegExp(`^${source}${open ? '(\\.[^.]+)+' : ''}$`);
        expect(matchesPattern(parsePattern(text), channel(name))).toBe(expression.test(name));
      }),
    );
  });
});

describe('patterns compared', () => {
  test.each([
    ['private:a.*', 'private:a.**', false],
    ['private:a.**', 'private:a.*', true],
    ['private:a.**', 'private:a.**', true],
    ['private:a.**', 'private:a', false],
    ['private:a.**', 'public:a.b', false],
    ['private:*.**', 'private:a.**', true],
    ['private:a.*.**', 'private:a.**', false],
    ['private:a.*.c', 'private:a.b.c', true],
    ['private:a.b.c', 'private:a.*.c', false],
    ['private:**', 'private:**', true],
  ])('%s covers %s: %s', (outer, inner, expected) => {
    expect(coversPattern(parsePattern(outer), parsePattern(inner))).toBe(expected);
  });

  test('covering and overlapping agree with the names that match', () => {
    // A letter that no pattern has stands for every other one.
    const letters = ['a', 'b', 'z'];
    let names: string[][] = [[]];
    const all: string[][] = [];
    for (let length = 1; length <= 5; length++) {
      names = names.flatMap(name => letters.map(letter => [...name, letter]));
      all.push(...names);
    }
    const pattern = fc
      .tuple(fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 3 }), fc.boolean())
      .filter(([segments, open]) => open || segments.length > 0)
      .map(([segments, open]) => parsePattern(`private:${[...segments, ...(open ? ['**'] : [])].join('.')}`));
    fc.assert(
      fc.property(pattern, pattern, (one, other) => {
        const matches = (wanted: typeof one) =>
          all.filter(segments => matchesPattern(wanted, { visibility: 'private', segments }));
        const [first, second] = [new Set(matches(one)), matches(other)];
        expect(coversPattern(one, other)).toBe(second.every(name => first.has(name)));
        expect(overlapsPattern(one, other)).toBe(second.some(name => first.has(name)));
      }),
    );
  });
});
