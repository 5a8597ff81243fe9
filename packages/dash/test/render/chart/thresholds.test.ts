import { describe, expect, it } from 'vitest';
import { drawChart } from '#src/render/chart/draw.ts';
import { chartFigure } from '#src/render/chart/figure.ts';
import { withoutSeries } from '#src/render/chart/hidden.ts';
import type { ChartConfig, Picture, Plot } from '#src/render/chart/model.ts';
import { paint } from '#src/render/chart/paint.ts';
import { zoomed } from '#src/render/chart/zoom.ts';
import { type Threshold, thresholdsOf, toneAt } from '#src/render/tones.ts';

const SIZE = { width: 600, height: 300 };
const ROWS = [
  { x: 1, y: 10 },
  { x: 2, y: 100 },
  { x: 3, y: 60 },
];
const LIMITS: readonly Threshold[] = [
  { from: 50, tone: 'caution' },
  { from: 100, tone: 'critical' },
  { from: 5_000, tone: 'neutral' },
];
const drawn = (kind: ChartConfig['kind'], thresholds: readonly Threshold[] = LIMITS): Picture =>
  drawChart({ kind, x: 'x', series: [{ field: 'y' }], thresholds }, ROWS) as Picture;
const svgOf = (kind: ChartConfig['kind'], thresholds?: readonly Threshold[]): string =>
  paint(drawn(kind, thresholds), SIZE, 'node');

/** Heights of the dashed lines of a colour. */
function heights(svg: string, role: string): number[] {
  const lines = [...svg.matchAll(/<(?:path|line|polyline)[^>]*>/g)].map(([tag]) => tag);
  return lines
    .filter(tag => tag.includes(`stroke="var(${role})"`) && tag.includes('stroke-dasharray'))
    .flatMap(tag => / d="M[\d.-]+[ ,]([\d.-]+)/.exec(tag)?.[1] ?? [])
    .map(Number);
}

describe('thresholds of a chart', () => {
  it.each(['line', 'area', 'bar', 'scatter'] as const)('are lines at their values on a %s', kind => {
    const [caution = Number.NaN] = heights(svgOf(kind), '--warn-mark');
    const [critical = Number.NaN] = heights(svgOf(kind), '--bad-mark');
    const { min, max } = (drawn(kind) as Plot).y;
    const [top, bottom] = [8, SIZE.height - 22];
    const placeOf = (value: number) => bottom - ((value - min) / (max - min)) * (bottom - top);
    expect(caution).toBeCloseTo(placeOf(50), 0);
    expect(critical).toBeCloseTo(placeOf(100), 0);
  });

  it('have only the name of the tone in a narrow drawing, and no words where those of the next one stand', () => {
    const close: readonly Threshold[] = [
      { from: 50, tone: 'caution' },
      { from: 51, tone: 'critical' },
    ];
    const svg = paint(drawn('line', close), { width: 300, height: 200 }, 'node');
    expect(svg).toContain('>critical</text>');
    expect(svg).not.toContain('caution');
    expect(heights(svg, '--warn-mark')).toHaveLength(1);
  });

  it('have their words beside them, and never move the axis', () => {
    const svg = svgOf('line');
    expect(svg).toContain('>caution from 50</text>');
    expect(svg).toContain('>critical from 100</text>');
    expect(svg).not.toContain('5,000');
    expect((drawn('line') as Plot).y).toEqual((drawn('line', []) as Plot).y);
  });

  it('are told to those who do not see the lines, also those beyond the axis', () => {
    expect(String(chartFigure(drawn('line'), '<svg></svg>'))).toContain(
      'Thresholds: caution from 50, critical from 100, neutral from 5,000.',
    );
    expect(String(chartFigure(drawn('line', []), '<svg></svg>'))).not.toContain('Thresholds');
  });

  it('stay when the plot is zoomed and when a series is switched off', () => {
    const whole = drawn('line') as Plot;
    expect(zoomed(whole, 1, 2)?.thresholds).toEqual(LIMITS);
    expect(withoutSeries(whole, new Set(['y'])).thresholds).toEqual(LIMITS);
  });

  it('mean nothing on a pie', () => {
    expect(svgOf('pie')).toBe(svgOf('pie', []));
  });
});

describe('the tone of a value', () => {
  it.each([
    [49.9, undefined],
    [50, 'caution'],
    [99, 'caution'],
    [100, 'critical'],
    [9_000, 'neutral'],
  ])('%d: that of the last threshold that is not above it, %s', (value, tone) => {
    expect(toneAt(LIMITS, value)).toBe(tone);
  });

  it('has no thresholds in a config without them', () => {
    expect(thresholdsOf(undefined)).toEqual([]);
    expect(thresholdsOf({ thresholds: [{ from: 1, tone: 'caution' }] })).toEqual([
      { from: 1, tone: 'caution' },
    ]);
  });
});
