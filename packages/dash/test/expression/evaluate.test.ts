import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#src/document/json.ts';
import { evaluate, namesIn, requireFunctions } from '#src/expression/evaluate.ts';
import { ExpressionError } from '#src/expression/failure.ts';
import { parseExpression } from '#src/expression/parse.ts';

const NAMES: Readonly<Record<string, Json>> = {
  n: 7,
  s: 'abc',
  b: true,
  z: null,
  list: [3, 1, 2],
  o: { k: 1, a: [5] },
};

function run(source: string, values: Readonly<Record<string, Json>> = NAMES): Json {
  const expression = parseExpression(source);
  requireFunctions(expression);
  return evaluate(expression, name => {
    if (!Object.hasOwn(values, name)) throw new ExpressionError('unknown name');
    return values[name] as Json;
  });
}

describe('an expression', () => {
  it.each<[string, Json]>([
    ['1 + 2 * 3 - 4 / 2', 5],
    ['-7 % 3', -1],
    ['2 ** 3 ** 2', 512],
    ['-2 ** 2', -4],
    ["\"a\" + 'b\\''", "ab'"],
    ['[1] + [2]', [1, 2]],
    ['1 == 1 and not false or false', true],
    ['true || z', true],
    ['false && z', false],
    ['z ?? n', 7],
    ['o.missing ?? "none"', 'none'],
    ['n > 5 ? "big" : "small"', 'big'],
    ['1 in list', true],
    ['"b" in s', true],
    ['"k" in o', true],
    ['9 not in list', true],
    ['o.a[0]', 5],
    ['o["k"]', 1],
    ['"a" < "b"', true],
    ['2 >= 2', true],
    ['2 <= 1', false],
    ['1 != "1"', true],
    ['!b', false],
    ['b ? z ?? 1 : 2', 1],
    ['[1, 2][1] - -n', 9],
    ['[1, [2]] == [1, [2]]', true],
    ['string(24.0)', '24'],
    ['string([1, "a"])', '[1,"a"]'],
    ['string(z)', ''],
    ['int(-2.7)', -2],
    ['int("12.5")', 12],
    ['float("1e3")', 1000],
    ['int(true)', 1],
    ['bool("TRUE")', true],
    ['bool(0)', false],
    ['len("a😀")', 2],
    ['len(o)', 2],
    ['upper("ß")', 'SS'],
    ['lower("AB")', 'ab'],
    ['trim("  x ")', 'x'],
    ['contains(s, "bc")', true],
    ['startsWith(s, "ab")', true],
    ['endsWith(s, "ab")', false],
    ['replace("a.a", ".", "$&")', 'a$&a'],
    ['split("a,b", ",")', ['a', 'b']],
    ['join([1, z, "x"], "-")', '1--x'],
    ['abs(-3)', 3],
    ['ceil(1.2)', 2],
    ['floor(-1.2)', -2],
    ['round(1.005, 2)', 1.01],
    ['round(-2.5)', -3],
    ['min(3, 1, 2)', 1],
    ['max(list)', 3],
    ['sum([])', 0],
    ['first(list)', 3],
    ['last([])', null],
    ['keys(o)', ['a', 'k']],
  ])('%s', (source, result) => {
    expect(run(source)).toEqual(result);
  });

  it.each([
    '1 + "a"',
    '1 / 0',
    '1.5 % 2',
    '2 ** 5000',
    'list[9]',
    'list[-1]',
    's[0]',
    'nope(1)',
    'len()',
    'max([])',
    'min(1)',
    'replace(s, "", "x")',
    'split(s, "")',
    'int("12x")',
    'bool("yes")',
    'not 1',
    '1 < "a"',
    '1 ? 2 : 3',
    '"open',
    '1 +',
    '(1',
    '1 2',
    'a.in',
    '{}',
    '01',
    '1e999',
    `${'('.repeat(65)}1${')'.repeat(65)}`,
    `"${'x'.repeat(2000)}"`,
  ])('%s fails with a reason', source => {
    expect(() => run(source)).toThrow(ExpressionError);
  });

  it('never reaches what an object inherits', () => {
    expect(run('o.constructor')).toBeNull();
    expect(run('o["__proto__"]')).toBeNull();
    expect(() => run('constructor')).toThrow(ExpressionError);
    expect(() => run('toString()')).toThrow(ExpressionError);
  });

  it('ends, and gives the same for the same, whatever it is made of (seed 1406, 3,000 runs)', () => {
    const words = [
      'n',
      's',
      'b',
      'z',
      'list',
      'o',
      '1',
      '0',
      '"x"',
      '+',
      '-',
      '*',
      '**',
      '/',
      '%',
      '(',
      ')',
      '[',
      ']',
      '.',
      ',',
      '?',
      ':',
      '??',
      'in',
      'not',
      'and',
      'or',
      '==',
      '<',
      'len(',
      'string(',
      'join(',
      'sum(',
      'constructor',
      '__proto__',
    ];
    const outcome = (source: string) => {
      try {
        return JSON.stringify(run(source));
      } catch (error) {
        expect(error, source).toBeInstanceOf(ExpressionError);
        return (error as Error).message;
      }
    };
    const source = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map(parts => parts.join(' '));
    fc.assert(
      fc.property(source, text => {
        expect(outcome(text)).toBe(outcome(text));
      }),
      { seed: 1406, numRuns: 3_000 },
    );
  });

  it.each<[string, Json, Json]>([
    ['upper(x)', 'a', 'A'],
    ['lower(x)', 'A', 'a'],
    ['trim(x)', 'a', 'a'],
    ['replace(x, "b", "c")', 'b', 'c'],
  ])('%s builds 100,000 characters and no more', (source, character, result) => {
    const long = String(character).repeat(100_000);
    expect(run(source, { x: long })).toBe(String(result).repeat(100_000));
    expect(() => run(source, { x: long + character })).toThrow('longer than 100000');
  });

  it('builds 100,000 elements and no more', () => {
    expect(run('split(x, ",")', { x: ','.repeat(99_999) })).toHaveLength(100_000);
    expect(() => run('split(x, ",")', { x: ','.repeat(100_000) })).toThrow('longer than 100000');
    expect(() => run('upper(x)', { x: 'ß'.repeat(60_000) })).toThrow('longer than 100000');
  });

  it.each([
    'len(x)',
    'upper(x)',
    'lower(x)',
    'trim(x)',
    'contains(x, "b")',
    'startsWith(x, "a")',
    'endsWith(x, "a")',
    'replace(x, "b", "")',
    'split(x, "b")',
    '"b" in x',
    '"b" not in x',
    'x == y',
    'x < y',
    'len(o)',
    'o == e',
    'contains(y, z)',
    'z in y',
  ])('takes a step per 100 characters for %s', source => {
    const many = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [index, 0]));
    const values = { x: 'a'.repeat(90_000), y: 'a'.repeat(90_000), z: 'b'.repeat(9_000), o: many, e: {} };
    const often = Array.from({ length: 12 }, () => source);
    expect(() => run(`[${often}]`, values)).toThrow('more than 10000 steps');
  });

  it('reads a text of 100,000 characters several times', () => {
    const x = 'a'.repeat(100_000);
    expect(run('len(x) + len(trim(x)) + len(lower(x))', { x })).toBe(300_000);
    expect(run('contains(x, "ab") or x == upper(x) or endsWith(x, "b")', { x })).toBe(false);
  });

  it('lists the names that it needs once each', () => {
    expect(namesIn(parseExpression('a + b * a ? f(c) : d'))).toEqual(['a', 'b', 'c', 'd']);
  });
});
