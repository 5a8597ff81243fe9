import { groupThousands } from '../thousands.ts';
import type { NumberAxis, Tick } from './model.ts';

/** Parts that an axis has at most: six ticks. */
const PARTS = 5;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** The first Monday after the start of 1970: weeks begin on Mondays (ISO 8601). */
const MONDAY = 4 * DAY;
/** Steps of a time axis up to a week, in milliseconds; months and years follow the calendar. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map(seconds => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map(hours => hours * HOUR),
  ...[1, 2, 7].map(days => days * DAY),
];
const MONTH_STEPS = [1, 2, 3, 6];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Part of the largest value below which a difference is an error of rounding. */
const FLAT = 1e-12;
/** Ticks that a time axis has at most. */
const MOST_TICKS = 6;

export type Extent = readonly [low: number, high: number];

/** The smallest and the largest of the numbers, of which there is at least one. */
export function extentOf(numbers: readonly number[]): Extent {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const number of numbers) {
    if (number < low) low = number;
    if (number > high) high = number;
  }
  return [low, high];
}

/** An axis whose ends are round: three to six ticks, the first below and the last above all values. */
export function roundAxis(extent: Extent): NumberAxis {
  const [low, high] = widened(extent);
  let step = roundStep((high - low) / PARTS);
  if (Math.ceil(high / step) - Math.floor(low / step) > PARTS) step = roundStep(step * 1.5);
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  const ticks = numberTicks(first, last, step);
  return { kind: 'linear', min: at(first, step), max: at(last, step), ticks };
}

/** An axis that ends where the values end, with round ticks between; of whole numbers there are no ticks between them. */
export function tightAxis(extent: Extent, areWhole = false): NumberAxis {
  const [low, high] = widened(extent);
  const step = Math.max(roundStep((high - low) / PARTS), areWhole ? 1 : 0);
  return {
    kind: 'linear',
    min: low,
    max: high,
    ticks: numberTicks(Math.ceil(low / step), Math.floor(high / step), step),
  };
}

/** A time axis in UTC: ends where the values end, at most six ticks on whole seconds, minutes, hours, days, months or years. */
export function timeAxis([low, high]: Extent): NumberAxis {
  const [min, max] = low === high ? [low - HOUR, high + HOUR] : [low, high];
  return { kind: 'time', min, max, ticks: timeTicks(min, max) };
}

/** A number as an axis writes it: thousands grouped, as many fraction digits as the step needs. */
export function grouped(value: number, fraction: number): string {
  if (Math.abs(value) >= 1e15) return String(value);
  const [whole = '', rest] = Math.abs(value).toFixed(fraction).split('.');
  const sign = value < 0 ? '−' : '';
  const groups = groupThousands(whole);
  return rest === undefined ? `${sign}${groups}` : `${sign}${groups}.${rest}`;
}

function numberTicks(first: number, last: number, step: number): readonly Tick[] {
  const fraction = Math.min(fractionOf(step), 20);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const value = at(first + index, step);
    return { at: value, text: grouped(value, fraction) };
  });
}

/** `count` steps without the error of binary fractions: 3 × 0.1 is 0.3. */
function at(count: number, step: number): number {
  const fraction = fractionOf(step);
  return fraction === 0 ? count * step : Number((count * step).toFixed(Math.min(fraction, 100)));
}

function fractionOf(step: number): number {
  return Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
}

/** The smallest of 1, 2, 5 × a power of ten that is not below `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = [1, 2, 5, 10].find(each => each * power >= least * (1 - 1e-9)) ?? 10;
  return digit * power;
}

/** Room around values that are one, or that differ by less than a number can tell. */
function widened([low, high]: Extent): Extent {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > largest * FLAT) return [low, high];
  const room = largest === 0 ? 1 : largest / 10;
  return [low - room, high + room];
}

function timeTicks(min: number, max: number): readonly Tick[] {
  const step = STEPS.find(each => Math.floor(max / each) - Math.ceil(min / each) + 1 <= MOST_TICKS);
  return step === undefined ? calendarTicks(min, max) : clockTicks(min, max, step);
}

function clockTicks(min: number, max: number, step: number): readonly Tick[] {
  const ticks: Tick[] = [];
  const start = step === WEEK ? MONDAY : 0;
  for (let time = start + Math.ceil((min - start) / step) * step; time <= max; time += step) {
    ticks.push({ at: time, text: clockText(time, step) });
  }
  return ticks;
}

function clockText(time: number, step: number): string {
  const iso = new Date(time).toISOString();
  if (time % DAY === 0) return dayText(time);
  return step < MINUTE ? iso.slice(11, 19) : iso.slice(11, 16);
}

function dayText(time: number): string {
  const date = new Date(time);
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
}

function calendarTicks(min: number, max: number): readonly Tick[] {
  const start = new Date(min);
  const end = new Date(max);
  const months =
    (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
  const years = 12 * roundStep(Math.max(1, months / 12 / MOST_TICKS));
  const step = MONTH_STEPS.find(each => months / each < MOST_TICKS) ?? years;
  const ticks: Tick[] = [];
  const first = Math.floor((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step) * step;
  for (let month = first; ; month += step) {
    const time = Date.UTC(Math.floor(month / 12), month % 12);
    if (time > max) return ticks;
    if (time >= min) ticks.push({ at: time, text: monthText(month, step) });
  }
}

function monthText(month: number, step: number): string {
  const year = String(Math.floor(month / 12));
  return step >= 12 ? year : `${MONTHS[month % 12]} ${year}`;
}
