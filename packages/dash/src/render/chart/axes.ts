import type { CategoryAxis, NumberAxis, Plot } from './model.ts';
import type { Palette } from './roles.ts';
import { LABELS, TEXT_SIZE } from './text-size.ts';
import { textWidth } from './text-width.ts';
import { thresholdRoom } from './threshold-lines.ts';

const GAP = 8;
/** The least room for a name that is cut; where there is less, some names are left out. */
const NARROWEST_LABEL = 64;

/** The room that labels take around the plot. */
export function gridOf(
  plot: Plot,
  width: number,
): { left: number; right: number; top: number; bottom: number } {
  const { x, y } = plot;
  const widest = Math.max(...y.ticks.map(({ text }) => textWidth(text, TEXT_SIZE)));
  const last = x.kind === 'categories' ? 0 : textWidth(x.ticks.at(-1)?.text ?? '', TEXT_SIZE) / 2;
  return {
    left: Math.min(Math.ceil(widest) + GAP + 2, width / 2),
    right: Math.max(GAP, Math.ceil(last), thresholdRoom(plot, width)),
    top: y.label === undefined ? GAP : LABELS + GAP,
    bottom: x.label === undefined ? LABELS : 2 * LABELS,
  };
}

export function yAxis({ y }: Plot, palette: Palette, left: number): object {
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

export function xAxis({ x, kind }: Plot, palette: Palette, width: number): object {
  const shared = {
    name: x.label ?? '',
    nameLocation: 'middle',
    nameGap: LABELS + 2,
    nameTextStyle: { color: palette('--ink-3'), fontSize: TEXT_SIZE },
    axisLine: { show: true, onZero: false, lineStyle: { color: palette('--line-strong'), width: 1 } },
    axisTick: { show: false },
    splitLine: { show: kind === 'scatter', lineStyle: { color: palette('--line'), width: 1 } },
  };
  if (x.kind === 'categories') return { ...categoryAxis(x, palette, width), ...shared };
  return { ...numberAxis(x, palette), ...shared };
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
