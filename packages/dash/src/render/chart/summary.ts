import type { Threshold } from '../tones.ts';
import type { DrawnSeries, Picture, Pie, Plot } from './model.ts';
import { shareText } from './pie.ts';
import { grouped } from './ticks.ts';

/** Names that a sentence lists before it counts the rest. */
const MOST_NAMED = 3;
const KIND_WORDS = { line: 'Line chart', area: 'Area chart', bar: 'Bar chart', scatter: 'Scatter chart' };

/** A picture in one or two sentences: what it shows, its range, its extremes and how it ends. */
export function summaryOf(picture: Picture): string {
  return picture.kind === 'pie' ? pieSummary(picture) : plotSummary(picture);
}

/** The last value of a series, as the legend shows it; undefined without one. */
export function latestText({ runs }: DrawnSeries): string | undefined {
  const value = runs.at(-1)?.at(-1)?.value;
  return value === undefined ? undefined : valueText(value);
}

/** A value for people: thousands grouped, at most four digits that count behind the point. */
export function valueText(value: number): string {
  const text = String(Number(value.toPrecision(Math.abs(value) >= 1_000 ? 15 : 4)));
  if (text.includes('e')) return text;
  return grouped(Number(text), text.split('.')[1]?.length ?? 0);
}

/** A threshold in words: "critical from 400". */
export function thresholdText({ from, tone }: Threshold): string {
  return `${tone} from ${valueText(from)}`;
}

function plotSummary({ kind, x, series, by, thresholds = [] }: Plot): string {
  const [first, last] =
    x.kind === 'categories' ? [x.names[0], x.names.at(-1)] : [x.ticks[0]?.text, x.ticks.at(-1)?.text];
  const range = first === undefined || first === last ? '' : ` from ${first} to ${last}`;
  const parts = series.slice(0, MOST_NAMED).flatMap(seriesWords);
  const more = series.length - MOST_NAMED + (by?.others ?? 0);
  const rest = series.length > MOST_NAMED ? [`${more} more series`] : [];
  const limits = thresholds.length === 0 ? '' : ` Thresholds: ${thresholds.map(thresholdText).join(', ')}.`;
  return `${KIND_WORDS[kind]}${range}. ${[...parts, ...rest].join('; ')}.${limits}`;
}

function seriesWords(series: DrawnSeries): string[] {
  const values = series.runs.flat().map(({ value }) => value);
  if (values.length === 0) return [`${series.name}: no values`];
  const least = values.reduce((low, value) => Math.min(low, value));
  const most = values.reduce((high, value) => Math.max(high, value));
  return [`${series.name}: ${valueText(least)} to ${valueText(most)}, last ${latestText(series)}`];
}

function pieSummary({ slices }: Pie): string {
  const largest = [...slices].sort((slice, next) => next.share - slice.share);
  const parts = largest.slice(0, MOST_NAMED).map(({ name, share }) => `${name} ${shareText(share)}`);
  const rest = largest.length > MOST_NAMED ? [`${largest.length - MOST_NAMED} more`] : [];
  return `Pie chart: ${[...parts, ...rest].join(', ')}.`;
}
