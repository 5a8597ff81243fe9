import { defined } from '@msg/foundation/json';
import { merge } from './merge.ts';
import { type ChartConfig, type Pie, type Row, slotOf } from './model.ts';

/** A slice for each category of the one series, clockwise from the top; zero, a gap and a total of 0 give none (dashboard details 5.6). */
export function drawPie(config: ChartConfig, rows: readonly Row[]): Pie | undefined {
  const { texts, values } = merge(config, rows, 'categories');
  const amounts = texts.map((_, at) => values[0]?.[at] ?? null);
  const total = amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
  if (total <= 0) return undefined;
  let turned = 0;
  const slices = texts.flatMap((name, at) => {
    const value = amounts[at] ?? 0;
    if (value <= 0) return [];
    const from = turned;
    turned += value / total;
    return [{ name, slot: slotOf(at), value, share: value / total, from, to: Math.min(1, turned) }];
  });
  const [series] = config.series;
  return defined({
    kind: 'pie' as const,
    title: config.title,
    slices,
    table: {
      head: [config.x, series?.label ?? series?.field ?? '', 'Share'],
      rows: texts.map((text, at) => [text, String(amounts[at] ?? ''), shareText((amounts[at] ?? 0) / total)]),
    },
  });
}

/** A part of a whole as a percentage with one fraction digit, without it where it is 0. */
export function shareText(share: number): string {
  return `${(share * 100).toFixed(1).replace(/\.0$/, '')}%`;
}
