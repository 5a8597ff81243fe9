import { describe, expect, it } from 'vitest';
import { drawChart } from '#src/render/chart/draw.ts';
import type { ChartConfig, Drawing, Plot, Row } from '#src/render/chart/model.ts';

const config = (kind: ChartConfig['kind'], more: Partial<ChartConfig> = {}): ChartConfig => ({
  kind,
  x: 'x',
  series: [{ field: 'y' }],
  ...more,
});

function plot(drawing: Drawing): Plot {
  if (drawing.kind === 'none' || drawing.kind === 'pie') throw new Error(`${drawing.kind} has no axes`);
  return drawing;
}

const places = (drawing: Drawing, series = 0) =>
  plot(drawing).series[series]?.runs.map(run => run.map(({ x, base, top }) => [x, base, top]));

describe('the x axis', () => {
  it('is linear when every x is a number, and points are joined by ascending x', () => {
    const rows = [
      { x: 3, y: 1 },
      { x: 1, y: 2 },
      { x: 2, y: 3 },
    ];
    const drawing = plot(drawChart(config('line'), rows));
    expect(drawing.x).toMatchObject({ kind: 'linear', min: 1, max: 3 });
    expect(places(drawing)).toEqual([
      [
        [1, 0, 2],
        [2, 0, 3],
        [3, 0, 1],
      ],
    ]);
  });

  it.each([
    ['days', ['2026-01-05', '2026-01-12']],
    ['times without a zone, which are UTC', ['2026-01-05T10:00:00', '2026-01-05 11:00']],
    ['times with a zone', ['2026-01-05T10:00:00Z', '2026-01-05T12:00:00+01:00']],
  ])('is a time axis when every x is an ISO date: %s', (_, [first = '', second = '']) => {
    const drawing = plot(
      drawChart(config('line'), [
        { x: second, y: 2 },
        { x: first, y: 1 },
      ]),
    );
    expect(drawing.x.kind).toBe('time');
    const [run = []] = drawing.series[0]?.runs ?? [];
    expect(run.map(({ value }) => value)).toEqual([1, 2]);
    expect(run[0]?.x).toBe(Date.parse(/Z|\+|^.{10}$/.test(first) ? first : `${first.replace(' ', 'T')}Z`));
  });

  it.each([
    [
      'a text',
      [
        { x: 1, y: 1 },
        { x: 'two', y: 2 },
      ],
    ],
    ['a day that no month has', [{ x: '2026-02-30', y: 1 }]],
    ['a boolean', [{ x: true, y: 1 }]],
    ['a month alone', [{ x: '2026-02', y: 1 }]],
  ])('holds categories as soon as one x is %s', (_, rows) => {
    expect(plot(drawChart(config('line'), rows)).x.kind).toBe('categories');
  });

  it('has the categories in order of first appearance, shown as text', () => {
    const rows: Row[] = [
      { x: 'b', y: 1 },
      { x: 2, y: 1 },
      { x: 'a', y: 1 },
      { x: 'b', y: 1 },
      { x: false, y: 1 },
    ];
    expect(plot(drawChart(config('line'), rows)).x).toEqual({
      kind: 'categories',
      names: ['b', '2', 'a', 'false'],
    });
  });

  it('holds categories under bars, even of numbers, in stored order', () => {
    const drawing = plot(
      drawChart(config('bar'), [
        { x: 3, y: 1 },
        { x: 1, y: 2 },
      ]),
    );
    expect(drawing.x).toEqual({ kind: 'categories', names: ['3', '1'] });
  });

  it('is named by xLabel, the y axis by yLabel', () => {
    const drawing = plot(drawChart(config('line', { xLabel: 'Week', yLabel: 'ms' }), [{ x: 1, y: 1 }]));
    expect([drawing.x.label, drawing.y.label]).toEqual(['Week', 'ms']);
  });
});

describe('rows', () => {
  it('without an x are skipped', () => {
    expect(places(drawChart(config('line'), [{ x: null, y: 9 }, { y: 8 }, { x: 1, y: 2 }]))).toEqual([
      [[1, 0, 2]],
    ]);
  });

  it.each(['line', 'area', 'bar', 'pie'] as const)('with the same x are one point of their sum: %s', kind => {
    const drawing = drawChart(config(kind), [
      { x: 'a', y: 1 },
      { x: 'b', y: 5 },
      { x: 'a', y: 2 },
    ]);
    const values =
      drawing.kind === 'pie'
        ? drawing.slices.map(({ value }) => value)
        : plot(drawing)
            .series[0]?.runs.flat()
            .map(({ value }) => value);
    expect(values).toEqual([3, 5]);
  });

  it('with the same time are one point, however it is written', () => {
    const rows = [
      { x: '2026-01-05', y: 1 },
      { x: '2026-01-05T01:00:00+01:00', y: 2 },
    ];
    expect(places(drawChart(config('line'), rows))).toEqual([[[Date.UTC(2026, 0, 5), 0, 3]]]);
  });

  it('stay apart in a scatter chart', () => {
    expect(
      places(
        drawChart(config('scatter'), [
          { x: 1, y: 1 },
          { x: 1, y: 2 },
        ]),
      ),
    ).toEqual([
      [
        [1, 0, 1],
        [1, 0, 2],
      ],
    ]);
  });
});

describe('a gap', () => {
  const rows: Row[] = [
    { x: 1, y: 1 },
    { x: 2, y: null },
    { x: 3, y: 3 },
    { x: 4 },
    { x: 5, y: 5 },
    { x: 6, y: 6 },
  ];

  it.each(['line', 'area'] as const)('breaks a %s; a lone point is a run of its own', kind => {
    expect(places(drawChart(config(kind), rows))?.map(run => run.map(([x]) => x))).toEqual([
      [1],
      [3],
      [5, 6],
    ]);
  });

  it('draws no bar, dot or slice', () => {
    expect(
      places(drawChart(config('bar'), rows))
        ?.flat()
        .map(([x]) => x),
    ).toEqual([0, 2, 4, 5]);
    expect(
      places(drawChart(config('scatter'), rows))
        ?.flat()
        .map(([x]) => x),
    ).toEqual([1, 3, 5, 6]);
    const pie = drawChart(config('pie'), rows);
    expect(pie.kind === 'pie' && pie.slices.map(({ name }) => name)).toEqual(['1', '3', '5', '6']);
  });

  it('adds nothing in a stack: the series above stands on those below it', () => {
    const series = [{ field: 'a' }, { field: 'b' }, { field: 'c' }];
    const stack: Row[] = [
      { x: 1, a: 4, b: 1, c: 2 },
      { x: 2, a: null, b: 3, c: 1 },
    ];
    const drawing = drawChart(config('area', { stacked: true, series }), stack);
    expect(places(drawing, 0)).toEqual([[[1, 0, 4]]]);
    expect(places(drawing, 1)).toEqual([
      [
        [1, 4, 5],
        [2, 0, 3],
      ],
    ]);
    expect(places(drawing, 2)).toEqual([
      [
        [1, 5, 7],
        [2, 3, 4],
      ],
    ]);
  });
});

describe('the y axis', () => {
  it('is fitted to the data of a line and of a scatter chart', () => {
    const rows = [
      { x: 1, y: 512 },
      { x: 2, y: 588 },
    ];
    expect(plot(drawChart(config('line'), rows)).y).toMatchObject({ min: 500, max: 600 });
    expect(plot(drawChart(config('scatter'), rows)).y).toMatchObject({ min: 500, max: 600 });
  });

  it.each(['area', 'bar'] as const)('contains 0 in a chart of kind %s', kind => {
    expect(plot(drawChart(config(kind), [{ x: 1, y: 512 }])).y.min).toBe(0);
    expect(plot(drawChart(config(kind), [{ x: 1, y: -512 }])).y.max).toBe(0);
  });

  it('covers the whole stack', () => {
    const series = [{ field: 'a' }, { field: 'b' }];
    const drawing = plot(drawChart(config('bar', { stacked: true, series }), [{ x: 1, a: 70, b: 80 }]));
    expect(drawing.y).toMatchObject({ min: 0, max: 150 });
  });
});

describe('bars in a stack', () => {
  it('stand upwards from 0 when positive and downwards when negative', () => {
    const series = [{ field: 'a' }, { field: 'b' }, { field: 'c' }];
    const drawing = drawChart(config('bar', { stacked: true, series }), [{ x: 'k', a: 2, b: -1, c: 3 }]);
    expect([0, 1, 2].map(index => places(drawing, index)?.[0]?.[0])).toEqual([
      [0, 0, 2],
      [0, 0, -1],
      [0, 2, 5],
    ]);
  });
});

describe('a pie', () => {
  it('has a slice per category, clockwise from the top, of the size value ÷ total', () => {
    const drawing = drawChart(config('pie'), [
      { x: 'web', y: 3 },
      { x: 'core', y: 1 },
      { x: 'none', y: 0 },
    ]);
    expect(drawing).toMatchObject({
      slices: [
        { name: 'web', slot: 1, value: 3, share: 0.75, from: 0, to: 0.75 },
        { name: 'core', slot: 2, value: 1, share: 0.25, from: 0.75, to: 1 },
      ],
      table: {
        head: ['x', 'y', 'Share'],
        rows: [
          ['web', '3', '75%'],
          ['core', '1', '25%'],
          ['none', '0', '0%'],
        ],
      },
    });
  });
});

describe('series', () => {
  it('are named by label, else by field, and take colours in order, from the ninth on again', () => {
    const series = Array.from({ length: 10 }, (_, index) => ({
      field: `f${index}`,
      ...(index === 0 ? { label: 'First' } : {}),
    }));
    const row = Object.fromEntries([['x', 1], ...series.map(({ field }) => [field, 1])]);
    const drawn = plot(drawChart(config('line', { series }), [row])).series;
    expect(drawn.slice(0, 2).map(({ name }) => name)).toEqual(['First', 'f1']);
    expect(drawn.map(({ slot }) => slot)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1, 2]);
  });
});

describe('No data', () => {
  it.each([
    ['rows that are not at hand', 'line', undefined],
    ['no row', 'bar', []],
    ['rows without an x', 'line', [{ y: 1 }]],
    ['gaps alone', 'area', [{ x: 1, y: null }]],
    ['a scatter without a dot', 'scatter', [{ x: 1 }]],
    ['a pie whose total is 0', 'pie', [{ x: 'a', y: 0 }]],
  ] as const)('is drawn for %s', (_, kind, rows) => {
    expect(drawChart(config(kind, { title: 'Scores' }), rows)).toEqual({ kind: 'none', title: 'Scores' });
  });
});

describe('the table beside a drawing', () => {
  it('has every x in the order of the axis and an empty cell for a gap', () => {
    const series = [{ field: 'a', label: 'Open' }, { field: 'b' }];
    const rows: Row[] = [
      { x: 2, a: 1.5, b: null },
      { x: 1, a: 4, b: 1 },
    ];
    expect(plot(drawChart(config('line', { series, xLabel: 'Week' }), rows)).table).toEqual({
      head: ['Week', 'Open', 'b'],
      rows: [
        ['1', '4', '1'],
        ['2', '1.5', ''],
      ],
    });
  });
});
