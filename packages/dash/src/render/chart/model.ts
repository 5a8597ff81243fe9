/**
 * The drawing model of a chart: what stands where, before anything is painted (dashboard details 5.6).
 * It is plain data, so it crosses to the worker thread and to the browser as it is.
 */

import type { Threshold } from '../tones.ts';

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

/** The members of a chart's config that decide what is drawn. */
export interface ChartConfig {
  readonly kind: 'line' | 'bar' | 'area' | 'pie' | 'scatter';
  readonly x: string;
  readonly series: readonly { readonly field: string; readonly label?: string }[];
  /** A row key: one series for each of its values, in place of the one that `series` has. */
  readonly by?: string;
  readonly stacked?: boolean;
  readonly thresholds?: readonly Threshold[];
  readonly title?: string;
  readonly xLabel?: string;
  readonly yLabel?: string;
}

/** A labelled position on an axis. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** An axis of numbers. On a time axis `at`, `min` and `max` are milliseconds since 1970 UTC. */
export interface NumberAxis {
  readonly kind: 'linear' | 'time';
  readonly label?: string;
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly Tick[];
}

/** An axis of names; the x of a point is the position of its name in the list. */
export interface CategoryAxis {
  readonly kind: 'categories';
  readonly label?: string;
  readonly names: readonly string[];
}

/** A mark: from `base` (0 but in a stack) to `top`. `value` is the cell, or the sum of the cells with this x. */
export interface Point {
  readonly x: number;
  readonly value: number;
  readonly base: number;
  readonly top: number;
}

/** The points of a series in runs without a gap. Bars and dots stand for themselves: one run holds them all. */
export interface DrawnSeries {
  readonly name: string;
  /** Place in the palette, from 1 to 8; the series after the eighth repeat it. */
  readonly slot: number;
  readonly runs: readonly (readonly Point[])[];
}

/** A chart with two axes. */
export interface Plot {
  readonly kind: 'line' | 'bar' | 'area' | 'scatter';
  readonly title?: string;
  readonly stacked: boolean;
  readonly x: NumberAxis | CategoryAxis;
  readonly y: NumberAxis;
  readonly series: readonly DrawnSeries[];
  /** The row key whose values are the series, and how many more values it has. */
  readonly by?: { readonly key: string; readonly others: number };
  readonly thresholds?: readonly Threshold[];
  readonly table: DataTable;
}

/** A part of a pie. `from` and `to` are turns, clockwise from the top. */
interface Slice {
  readonly name: string;
  readonly slot: number;
  readonly value: number;
  readonly share: number;
  readonly from: number;
  readonly to: number;
}

export interface Pie {
  readonly kind: 'pie';
  readonly title?: string;
  readonly slices: readonly Slice[];
  readonly table: DataTable;
}

/** A chart without a mark: title and the text "No data". */
interface NoData {
  readonly kind: 'none';
  readonly title?: string;
}

/** The same numbers for people who read them: a head and a row for each x. */
export interface DataTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export type Drawing = Plot | Pie | NoData;
/** A drawing that has something to paint. */
export type Picture = Plot | Pie;

/** Colours of the palette. */
const SLOTS = 8;

/** The place in the palette of the series at an index: 1 to 8, then from the start again. */
export function slotOf(index: number): number {
  return (index % SLOTS) + 1;
}
