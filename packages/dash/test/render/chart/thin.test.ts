import { describe, expect, it } from 'vitest';
import type { Point } from '#src/render/chart/model.ts';
import { thin } from '#src/render/chart/thin.ts';

const run = (values: readonly number[]): Point[] => values.map((top, x) => ({ x, value: top, base: 0, top }));

describe('a line with more points than half its pixels', () => {
  it('keeps all points while they are at most half of them', () => {
    const points = run([1, 2, 3, 4]);
    expect(thin(points, { min: 0, max: 3 }, 8)).toBe(points);
  });

  it('keeps the lowest and the highest of each 4 px in their order, and both ends', () => {
    const points = run([5, 9, 1, 5, 5, 2, 8, 5]);
    const kept = thin(points, { min: 0, max: 8 }, 8);
    expect(kept.map(({ x }) => x)).toEqual([0, 1, 2, 5, 6, 7]);
  });

  it('keeps a peak of one point among a hundred thousand', () => {
    const values = Array.from({ length: 100_000 }, () => 1);
    values[54_321] = 100;
    const kept = thin(run(values), { min: 0, max: 99_999 }, 600);
    expect(kept.length).toBeLessThan(320);
    expect(kept.some(({ top }) => top === 100)).toBe(true);
  });
});
