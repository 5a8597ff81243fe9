import { describe, expect, it } from 'vitest';
import type { Json } from '#src/document/json.ts';
import { aggregate, figureText } from '#src/render/items/figure.ts';

describe('the figure of rows', () => {
  const rows = [{ n: null }, { n: 4 }, { n: -1.5 }, {}, { n: 'text' }, { n: 3 }, { n: null }];
  it.each<[string, string | undefined, Json]>([
    ['first', 'n', 4],
    ['last', 'n', 3],
    ['sum', 'n', 5.5],
    ['avg', 'n', 5.5 / 3],
    ['min', 'n', -1.5],
    ['max', 'n', 4],
    ['count', 'n', 4],
    ['count', undefined, 7],
    ['sum', 'nothing', null],
    ['last', 'nothing', null],
  ])('%s of %s is %s', (how, field, figure) => expect(aggregate(rows, field, how)).toBe(figure));

  it('is missing without rows, and 0 where rows are counted', () => {
    expect(aggregate([], 'n', 'avg')).toBe(null);
    expect(aggregate([], undefined, 'count')).toBe(0);
  });
});

describe('a figure as text', () => {
  it.each<[Json, string | undefined, Json | undefined, string | undefined]>([
    [1234.5, undefined, undefined, '1234.5'],
    [1234.5, 'plain', undefined, '1234.5'],
    [24, 'plain', undefined, '24'],
    [1234567.4, 'integer', undefined, '1,234,567'],
    [-1234.5, 'integer', undefined, '-1,235'],
    [2.5, 'integer', undefined, '3'],
    [-0.4, 'integer', undefined, '0'],
    [1234.5, 'decimal', undefined, '1,234.50'],
    [1.005, 'decimal', 2, '1.01'],
    [-1.005, 'decimal', 2, '-1.01'],
    [1.45, 'decimal', 1, '1.5'],
    [0.82, 'percent', undefined, '82%'],
    [0.125, 'percent', 1, '12.5%'],
    [0.005, 'percent', undefined, '1%'],
    [12.345, 'percent', 0, '1235%'],
    [1e21, 'integer', undefined, '1,000,000,000,000,000,000,000'],
    ['text', 'percent', 2, 'text'],
    [true, 'integer', undefined, 'true'],
    [null, 'plain', undefined, undefined],
  ])('%s as %s with %s digits is %s', (value, format, digits, text) =>
    expect(figureText(value, format, digits)).toBe(text),
  );
});
