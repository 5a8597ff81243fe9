import type { EChartsCoreOption } from 'echarts/core';
import { gridOf, xAxis, yAxis } from './axes.ts';
import { seriesOptions } from './marks.ts';
import type { Picture, Pie, Plot } from './model.ts';
import { shareText } from './pie.ts';
import { type Palette, seriesRole } from './roles.ts';
import { LABELS, TEXT_SIZE } from './text-size.ts';
import { thresholdLines } from './threshold-lines.ts';

/** Width and height of a drawing in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

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
  const grid = gridOf(plot, size.width);
  const width = size.width - grid.left - grid.right;
  return {
    grid,
    xAxis: xAxis(plot, palette, width),
    yAxis: yAxis(plot, palette, grid.left),
    series: [
      ...plot.series.flatMap(series => seriesOptions(plot, series, { width, palette })),
      ...thresholdLines(plot, size.width, palette),
    ],
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
