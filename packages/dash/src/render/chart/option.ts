import { defined } from '@msg/foundation/json';
import type { EChartsCoreOption } from 'echarts/core';
import type { CategoryAxis, DrawnSeries, NumberAxis, Picture, Pie, Plot, Point } from './model.ts';
import { shareText } from './pie.ts';
import { type Palette, seriesDash, seriesRole } from './roles.ts';
import { textWidth } from './text-width.ts';
import { thin } from './thin.ts';

/** Width and height of a drawing in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Text of a chart, in pixels; never scaled. */
export const TEXT_SIZE = 12;
/** Height of a line of labels under or over the plot. */
const LABELS = 22;
const GAP = 8;
/** Part of a category's place that its bars leave free. */
const BAR_GAP = '34%';
const WIDEST_BAR = 48;
/** The least room for a name that is cut; where there is less, some names are left out. */
const NARROWEST_LABEL = 64;
const LINE = 1.75;
/** Opacity of an area on its own, and in a stack, where areas stand for amounts. */
const AREA = { alone: 0.12, stacked: 0.45 };

/**
 * What ECharts paints for a picture: every mark where the model has it, every default of its own that would
 * decide something (extents, ticks, formats, colours, stacks of areas) replaced.
 */
export function chartOption(picture: Picture, size: Size, palette: Palette): EChartsCoreOption {
  const option =
    picture.kind === 'pie' ? pieOption(picture, size, palette) : plotOption(picture, size, palette);
  return {
    animation: false,
    useUTC: true,
    silent: true,
    backgroundColor: 'transparent',
    textStyle: { fontSize: TEXT_SIZE, color: palette('--ink-3') },
    ...option,
  };
}

function plotOption(plot: Plot, size: Size, palette: Palette): EChartsCoreOption {
  const grid = gridOf(plot, size);
  const width = size.width - grid.left - grid.right;
  return {
    grid,
    xAxis: xAxis(plot, palette, width),
    yAxis: yAxis(plot, palette, grid.left),
    series: plot.series.flatMap((series, index) => seriesOptions(plot, series, { index, width, palette })),
  };
}

/** The room that labels take around the plot. */
function gridOf(
  { x, y }: Plot,
  { width }: Size,
): { left: number; right: number; top: number; bottom: number } {
  const widest = Math.max(...y.ticks.map(({ text }) => textWidth(text, TEXT_SIZE)));
  const last = x.kind === 'categories' ? 0 : textWidth(x.ticks.at(-1)?.text ?? '', TEXT_SIZE) / 2;
  return {
    left: Math.min(Math.ceil(widest) + GAP + 2, width / 2),
    right: Math.max(GAP, Math.ceil(last)),
    top: y.label === undefined ? GAP : LABELS + GAP,
    bottom: x.label === undefined ? LABELS : 2 * LABELS,
  };
}

function yAxis({ y }: Plot, palette: Palette, left: number): object {
  return {
    ...numberAxis(y, palette),
    nameLocation: 'end',
    nameGap: 14,
    nameTextStyle: {
      color: palette('--ink-3'),
      fontSize: TEXT_SIZE,
      align: 'left',
      padding: [0, 0, 0, 2 - left],
    },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: true, lineStyle: { color: palette('--line'), width: 1 } },
  };
}

function xAxis({ x, kind }: Plot, palette: Palette, width: number): object {
  const look = {
    name: x.label ?? '',
    nameLocation: 'middle',
    nameGap: LABELS + 2,
    nameTextStyle: { color: palette('--ink-3'), fontSize: TEXT_SIZE },
    axisLine: { show: true, onZero: false, lineStyle: { color: palette('--line-strong'), width: 1 } },
    axisTick: { show: false },
    splitLine: { show: kind === 'scatter', lineStyle: { color: palette('--line'), width: 1 } },
  };
  if (x.kind === 'categories') return { ...categoryAxis(x, palette, width), ...look };
  return { ...numberAxis(x, palette), ...look };
}

function numberAxis({ min, max, ticks, label }: NumberAxis, palette: Palette): object {
  const texts = new Map(ticks.map(({ at, text }) => [at, text]));
  const customValues = ticks.map(({ at }) => at);
  return {
    type: 'value',
    min,
    max,
    name: label ?? '',
    axisLabel: {
      customValues,
      hideOverlap: true,
      color: palette('--ink-3'),
      fontSize: TEXT_SIZE,
      formatter: (value: number) => texts.get(value) ?? '',
    },
    axisTick: { customValues },
    interval: ticks.length > 1 ? (ticks[1]?.at ?? 0) - (ticks[0]?.at ?? 0) : max - min,
  };
}

function categoryAxis({ names }: CategoryAxis, palette: Palette, width: number): object {
  const place = Math.floor(width / names.length) - GAP;
  const hasRoom = names.every(name => textWidth(name, TEXT_SIZE) <= place) || place >= NARROWEST_LABEL;
  return {
    type: 'category',
    data: names,
    axisLabel: {
      color: palette('--ink-3'),
      fontSize: TEXT_SIZE,
      interval: hasRoom ? 0 : 'auto',
      width: Math.max(NARROWEST_LABEL, place),
      overflow: 'truncate',
      ellipsis: '…',
      hideOverlap: true,
    },
  };
}

interface Paint {
  readonly index: number;
  /** Of the plot, in pixels. */
  readonly width: number;
  readonly palette: Palette;
}

function seriesOptions(plot: Plot, series: DrawnSeries, paint: Paint): object[] {
  const color = paint.palette(seriesRole(series.slot));
  const named = { name: series.name, silent: true, emphasis: { disabled: true }, color };
  if (plot.kind === 'bar') return [{ ...named, ...bars(plot, series, color) }];
  if (plot.kind === 'scatter') return [{ ...named, ...dots(series, color) }];
  const range = plot.x.kind === 'categories' ? { min: 0, max: plot.x.names.length } : plot.x;
  const runs = series.runs.map(run => thin(run, range, paint.width));
  const line = { ...named, ...lines(runs, series.slot, color) };
  if (plot.kind === 'line') return [line];
  return [{ ...named, ...areas(runs, plot.stacked ? AREA.stacked : AREA.alone, color) }, line];
}

function lines(runs: readonly (readonly Point[])[], slot: number, color: string): object {
  const dash = seriesDash(slot);
  return {
    type: 'line',
    symbol: 'none',
    connectNulls: false,
    lineStyle: defined({ width: LINE, color, type: dash }),
    itemStyle: { color },
    data: runs.flatMap((run, index) => [
      ...(index === 0 ? [] : [[run[0]?.x, null]]),
      ...run.map(point => (run.length === 1 ? lonePoint(point) : [point.x, point.top])),
    ]),
  };
}

/** A point between two gaps has no line to stand on: it is a dot. */
function lonePoint({ x, top }: Point): object {
  return { value: [x, top], symbol: 'circle', symbolSize: 5 };
}

/** The faces between tops and bases; ECharts' own areas cannot stand on a stack with gaps. */
function areas(runs: readonly (readonly Point[])[], opacity: number, color: string): object {
  return {
    type: 'custom',
    clip: true,
    data: runs.map((_, index) => [index]),
    renderItem: (
      { dataIndex }: { dataIndex: number },
      { coord }: { coord(place: readonly number[]): number[] },
    ) => {
      const run = runs[dataIndex] ?? [];
      const tops = run.map(({ x, top }) => coord([x, top]));
      const bases = run.map(({ x, base }) => coord([x, base])).reverse();
      return { type: 'polygon', shape: { points: [...tops, ...bases] }, style: { fill: color, opacity } };
    },
  };
}

function bars({ x, stacked }: Plot, { runs }: DrawnSeries, color: string): object {
  const places = x.kind === 'categories' ? x.names.length : 0;
  const data: (number | null)[] = Array.from({ length: places }, () => null);
  for (const { x: place, value } of runs.flat()) data[place] = value;
  return {
    type: 'bar',
    data,
    stack: stacked ? 'stack' : null,
    stackStrategy: 'samesign',
    barCategoryGap: BAR_GAP,
    barGap: '8%',
    barMaxWidth: WIDEST_BAR,
    itemStyle: { color },
  };
}

function dots({ runs }: DrawnSeries, color: string): object {
  return {
    type: 'scatter',
    symbol: 'circle',
    symbolSize: 7,
    itemStyle: { color, opacity: 0.8 },
    data: runs.flat().map(({ x, top }) => [x, top]),
  };
}

function pieOption({ slices }: Pie, { width, height }: Size, palette: Palette): EChartsCoreOption {
  return {
    series: [
      {
        type: 'pie',
        silent: true,
        emphasis: { disabled: true },
        clockwise: true,
        startAngle: 90,
        radius: Math.max(24, Math.min(width / 3.2, height / 2 - LABELS)),
        avoidLabelOverlap: true,
        itemStyle: { borderColor: palette('--surface'), borderWidth: 1 },
        label: {
          color: palette('--ink-2'),
          fontSize: TEXT_SIZE,
          overflow: 'truncate',
          width: Math.max(48, width / 4),
        },
        labelLine: { length: 8, length2: 8, lineStyle: { color: palette('--line-strong') } },
        data: slices.map(({ name, value, slot, share }) => ({
          name,
          value,
          itemStyle: { color: palette(seriesRole(slot)) },
          label: { formatter: () => `${name} ${shareText(share)}` },
        })),
      },
    ],
  };
}
