import { describe, expect, it } from 'vitest';
import { grouped, roundAxis, tightAxis, timeAxis } from '#src/render/chart/ticks.ts';

const texts = ({ ticks }: { ticks: readonly { text: string }[] }) => ticks.map(({ text }) => text);

describe('an axis with round ends', () => {
  it.each([
    [0, 1.34, ['0.0', '0.5', '1.0', '1.5']],
    [0, 10, ['0', '2', '4', '6', '8', '10']],
    [-3, 5, ['−4', '−2', '0', '2', '4', '6']],
    [0, 0.0003, ['0.0000', '0.0001', '0.0002', '0.0003']],
    [0, 12_345_678, ['0', '5,000,000', '10,000,000', '15,000,000']],
    [7, 7, ['6.0', '6.5', '7.0', '7.5', '8.0']],
    [0, 0, ['−1.0', '−0.5', '0.0', '0.5', '1.0']],
  ])('from %d to %d', (low, high, expected) => {
    expect(texts(roundAxis([low, high]))).toEqual(expected);
  });

  it('has three to six ticks and covers the values, whatever they are', () => {
    let seed = 20_261_122;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    for (let count = 0; count < 5_000; count++) {
      const low = (random() - 0.5) * 10 ** Math.floor(random() * 18 - 6);
      const high = low + random() * 10 ** Math.floor(random() * 18 - 6);
      const { min, max, ticks } = roundAxis([low, high]);
      expect(ticks.length, `${low} to ${high}`).toBeGreaterThanOrEqual(3);
      expect(ticks.length, `${low} to ${high}`).toBeLessThanOrEqual(6);
      expect(min <= low && max >= high, `${low} to ${high} in ${min} to ${max}`).toBe(true);
    }
  });
});

describe('an axis that ends with the values', () => {
  it('has round ticks between', () => {
    expect(tightAxis([3, 17])).toMatchObject({ min: 3, max: 17 });
    expect(texts(tightAxis([3, 17]))).toEqual(['5', '10', '15']);
  });
});

describe('a time axis', () => {
  const from = (start: string, end: string) => texts(timeAxis([Date.parse(start), Date.parse(end)]));

  it.each([
    [
      'seconds',
      '2026-11-22T08:30:00Z',
      '2026-11-22T08:30:40Z',
      ['08:30:00', '08:30:10', '08:30:20', '08:30:30', '08:30:40'],
    ],
    [
      'hours',
      '2026-11-22T08:30:00Z',
      '2026-11-22T14:30:00Z',
      ['09:00', '10:00', '11:00', '12:00', '13:00', '14:00'],
    ],
    [
      'midnight',
      '2026-11-22T18:00:00Z',
      '2026-11-23T06:00:00Z',
      ['18:00', '21:00', 'Nov 23', '03:00', '06:00'],
    ],
    ['weeks, from Monday', '2026-01-05', '2026-02-02', ['Jan 5', 'Jan 12', 'Jan 19', 'Jan 26', 'Feb 2']],
    [
      'months',
      '2026-01-01',
      '2026-06-15',
      ['Jan 2026', 'Feb 2026', 'Mar 2026', 'Apr 2026', 'May 2026', 'Jun 2026'],
    ],
    ['years', '2001-01-01', '2026-01-01', ['2005', '2010', '2015', '2020', '2025']],
  ])('counts %s', (_, start, end, expected) => {
    expect(from(start, end)).toEqual(expected);
  });

  it('has room around one moment', () => {
    const moment = Date.UTC(2026, 0, 1);
    expect(timeAxis([moment, moment])).toMatchObject({ min: moment - 3_600_000, max: moment + 3_600_000 });
  });
});

describe('a number on an axis', () => {
  it.each([
    [1_284, 0, '1,284'],
    [-1_284.5, 1, '−1,284.5'],
    [0.25, 2, '0.25'],
    [2e15, 0, '2000000000000000'],
  ])('%d with %d fraction digits is %s', (value, fraction, text) => {
    expect(grouped(value, fraction)).toBe(text);
  });
});
