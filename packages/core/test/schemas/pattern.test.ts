import { bindChannel, compareSpecificity, parseSchemaPattern } from '@msg/core/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

describe('registry patterns', () => {
  test.each([
    ['orders:{id}', 'orders:7', { id: '7' }],
    ['orders:{id}', 'orders.7', { id: '7' }],
    ['orders:{id}', 'orders:7:x', undefined],
    ['orders:{id}', 'orders', undefined],
    ['orders:*.lines', 'orders:7.lines', {}],
    ['orders:{order_id}.lines.**', 'orders:7.lines.1.2', { order_id: '7' }],
    ['orders:{order_id}.lines.**', 'orders:7.lines', undefined],
    ['**', 'anything', {}],
    ['**', 'a:b.c', {}],
    ['a.b', 'a.b', {}],
    ['a.b', 'a.c', undefined],
    ['a.*', 'a.', undefined],
    ['{__proto__}', 'x', Object.fromEntries([['__proto__', 'x']])],
  ])('%s on %s', (pattern, channel, bindings) => {
    expect(bindChannel(parseSchemaPattern(pattern), channel)).toEqual(bindings);
  });

  test.each([
    '',
    'a.',
    '.a',
    'a..b',
    '**.a',
    'a.**.b',
    '**.**',
    'a{x}',
    '{x}a',
    'a*',
    '*a',
    '***',
    '{}',
    '{a}{b}',
    '{a.b}',
    '{a}.{a}',
    'x'.repeat(256),
  ])('%j is not a pattern', text => {
    expect(() => parseSchemaPattern(text)).toThrow(expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' }));
  });

  test('specificity: literal 4, placeholder 2, * 1, ** 0; ties by text', () => {
    const texts = ['**', 'a.**', '*.b', '{x}.b', 'a.b', 'a.{x}', 'a.*', 'b.{x}'];
    const sorted = texts.map(parseSchemaPattern).sort(compareSpecificity);
    expect(sorted.map(({ text, specificity }) => [text, specificity])).toEqual([
      ['a.b', 8],
      ['a.{x}', 6],
      ['b.{x}', 6],
      ['{x}.b', 6],
      ['*.b', 5],
      ['a.*', 5],
      ['a.**', 4],
      ['**', 0],
    ]);
  });

  test('a pattern matches every channel made of it', () => {
    const word = fc.stringMatching(/^[a-z0-9_-]{1,8}$/);
    const token = fc.oneof(
      word.map(text => ({ text, part: text })),
      fc.tuple(word, word).map(([name, part]) => ({ text: `{${name}}`, part })),
      word.map(part => ({ text: '*', part })),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(token, { minLength: 1, maxLength: 5, selector: ({ text }) => text }),
        tokens => {
          const pattern = parseSchemaPattern(tokens.map(({ text }) => text).join('.'));
          const bindings = bindChannel(pattern, tokens.map(({ part }) => part).join(':'));
          const named = tokens.filter(({ text }) => text.startsWith('{'));
          expect(bindings).toEqual(
            Object.fromEntries(named.map(({ text, part }) => [text.slice(1, -1), part])),
          );
        },
      ),
    );
  });
});
