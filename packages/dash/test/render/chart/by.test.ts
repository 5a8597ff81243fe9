import { describe, expect, it } from 'vitest';
import { drawChart } from '#src/render/chart/draw.ts';
import { chartFigure } from '#src/render/chart/figure.ts';
import type { ChartConfig, Plot, Row } from '#src/render/chart/model.ts';

const ROWS: Row[] = [
  { time: 1, region: 'us', ms: 5 },
  { time: 1, region: 'eu', ms: 10 },
  { time: 2, region: 'eu', ms: 20 },
  { time: 2, region: null, ms: 1 },
  { time: 3, region: 'us', ms: 7 },
];
const plot = (more: Partial<ChartConfig> = {}, rows: readonly Row[] = ROWS): Plot =>
  drawChart({ kind: 'line', x: 'time', series: [{ field: 'ms' }], by: 'region', ...more }, rows) as Plot;
const namesOf = ({ series }: Plot) => series.map(({ name }) => name);
const marksOf = ({ series }: Plot) =>
  series.map(({ runs }) => runs.flat().map(({ x, base, top }) => [x, base, top]));
const figureOf = (drawn: Plot): string => String(chartFigure(drawn, '<svg></svg>'));

describe('a chart split by a column', () => {
  it('has a line for each value, in order of first appearance; a row without one is named so', () => {
    const drawn = plot();
    expect(namesOf(drawn)).toEqual(['us', 'eu', 'no region']);
    expect(drawn.series.map(({ slot }) => slot)).toEqual([1, 2, 3]);
    expect(drawn.series.map(({ runs }) => runs.map(run => run.map(({ x, top }) => [x, top])))).toEqual([
      [[[1, 5]], [[3, 7]]],
      [
        [
          [1, 10],
          [2, 20],
        ],
      ],
      [[[2, 1]]],
    ]);
  });

  it('groups bars, stacks areas, and colours dots by the value', () => {
    expect(plot({ kind: 'bar' })).toMatchObject({ kind: 'bar', x: { names: ['1', '2', '3'] } });
    expect(marksOf(plot({ kind: 'bar' }))[1]).toEqual([
      [0, 0, 10],
      [1, 0, 20],
    ]);
    expect(marksOf(plot({ kind: 'area', stacked: true }))[1]).toEqual([
      [1, 5, 15],
      [2, 0, 20],
    ]);
    expect(marksOf(plot({ kind: 'scatter' }))[0]).toEqual([
      [1, 0, 5],
      [3, 0, 7],
    ]);
  });

  it('is the same drawing as one with a column for each value', () => {
    const wide = [
      { time: 1, us: 5, eu: 10 },
      { time: 2, eu: 20 },
      { time: 3, us: 7 },
    ];
    const long = ROWS.filter(({ region }) => region !== null);
    for (const kind of ['line', 'bar', 'area'] as const) {
      const { by: _, ...split } = plot({ kind }, long);
      expect(split).toEqual(drawChart({ kind, x: 'time', series: [{ field: 'us' }, { field: 'eu' }] }, wide));
    }
  });

  it('adds up rows of the same x and value, and takes 1 and "1" for one value', () => {
    const rows = [
      { time: 1, region: 1, ms: 2 },
      { time: 1, region: '1', ms: 3 },
    ];
    expect(marksOf(plot({}, rows))).toEqual([[[1, 0, 5]]]);
  });

  it('is not confused by keys that look like its own', () => {
    const rows = [{ 'time/0': 1, time: 2, region: 'time/0', ms: 4 }];
    expect(marksOf(plot({}, rows))).toEqual([[[2, 0, 4]]]);
    expect(marksOf(plot({ x: 'region' }, [{ region: 'a', ms: 1 }]))).toEqual([[[0, 0, 1]]]);
  });

  it('draws 20 values and says how many others there are', () => {
    const rows = Array.from({ length: 25 }, (_, at) => ({ time: 1, region: `r${at}`, ms: at }));
    const drawn = plot({}, [...rows, ...rows]);
    expect(namesOf(drawn)).toEqual(rows.slice(0, 20).map(({ region }) => region));
    expect(drawn.by).toEqual({ key: 'region', others: 5 });
    expect(figureOf(drawn)).toContain('<span>other 5: only the first 20 values of region are drawn</span>');
    expect(figureOf(drawn)).toContain('; 22 more series.');
    expect(figureOf(plot({}, rows.slice(0, 20)))).not.toContain('other');
  });

  it('names its one value, which nothing else says', () => {
    const rows = [{ time: 1, region: 'eu', ms: 4 }];
    expect(figureOf(plot({}, rows))).toMatch(/<ul class="legend">.*<span>eu<\/span>/);
  });

  it('has the values as columns of its table', () => {
    expect(plot().table).toEqual({
      head: ['time', 'us', 'eu', 'no region'],
      rows: [
        ['1', '5', '10', ''],
        ['2', '', '20', '1'],
        ['3', '7', '', ''],
      ],
    });
  });

  it('has no data where no row has an x', () => {
    expect(plot({}, [{ time: null, region: 'eu', ms: 1 }]).kind).toBe('none');
  });
});
