import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from '#src/duration.ts';

describe('durations in Go syntax', () => {
  test.each([
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['0', 0],
    ['-1.5s', -1500],
    ['+2m', 120_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['10µs', 0.01],
    ['10us', 0.01],
    ['24h', 86_400_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 6);
  });

  test.each(['', '-', '1', '1d', 's', '1h 2m', '1h2', 'abc', '1..5s', ' 1s'])(
    '%j is not a duration',
    text => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  test.each([
    [1_800_000, '30m0s'],
    [3_600_000, '1h0m0s'],
    [5000, '5s'],
    [1500, '1.5s'],
    [100, '100ms'],
    [0, '0s'],
    [-90_000, '-1m30s'],
    [0.25, '250µs'],
    [0.000_007, '7ns'],
    [86_400_000, '24h0m0s'],
    [61_001, '1m1.001s'],
  ])('%d ms prints as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('what is printed reads back as the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e11, max: 1e11 }), ms => {
        expect(parseDuration(formatDuration(ms))).toBeCloseTo(ms, 5);
      }),
    );
  });
});
