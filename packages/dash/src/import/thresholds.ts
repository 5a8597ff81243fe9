import type { Json } from '../document/json.ts';
import type { Cursor } from './cursor.ts';
import type { ReportBuilder } from './report.ts';

/** Tones by the parts of names of colours. */
const TONES: readonly (readonly [RegExp, string])[] = [
  [/green/, 'positive'],
  [/yellow|orange|amber/, 'caution'],
  [/red/, 'critical'],
  [/blue|purple/, 'accent'],
];
const HUES: readonly (readonly [number, string])[] = [
  [20, 'critical'],
  [70, 'caution'],
  [170, 'positive'],
  [330, 'accent'],
  [361, 'critical'],
];
/** Colours with less difference between their parts are greys. */
const LEAST_CHROMA = 40;

/**
 * Thresholds as dash has them: ascending, each with a tone; undefined when the file has none with a value.
 * @param bounds the range of which thresholds in percent are parts.
 */
export function importThresholds(
  thresholds: Cursor,
  bounds: { readonly min: Cursor; readonly max: Cursor },
  report: ReportBuilder,
): Json[] | undefined {
  const isPercent = thresholds.at('mode').text === 'percentage';
  const [min, max] = [bounds.min.number ?? 0, bounds.max.number ?? 100];
  const steps: { cursor: Cursor; from: number; tone: string }[] = [];
  for (const step of thresholds.at('steps').items) {
    const value = step.at('value').number;
    if (value === undefined) {
      report.change(step, 'values below the first threshold have no tone');
      continue;
    }
    const from = isPercent ? min + ((max - min) * value) / 100 : value;
    steps.push({ cursor: step, from, tone: toneOf(step.at('color').text ?? '') });
  }
  steps.sort((a, b) => a.from - b.from);
  const unique = steps.filter(({ from }, at) => at === 0 || steps[at - 1]?.from !== from);
  const list: Json[] = unique.map(({ from, tone }) => ({ from, tone }));
  for (const { cursor, from } of steps) {
    const at = unique.findIndex(entry => entry.from === from);
    report.change(cursor, 'the colour is a tone', list, String(at));
  }
  report.change(
    thresholds.at('mode'),
    isPercent ? `parts of ${min} to ${max} are values` : 'thresholds are values',
  );
  return list.length === 0 ? undefined : list;
}

function toneOf(color: string): string {
  const name = color.toLowerCase();
  const named = TONES.find(([pattern]) => pattern.test(name));
  if (named !== undefined) return named[1];
  const parts = partsOf(name);
  if (parts === undefined) return 'neutral';
  const [red, green, blue] = parts;
  const most = Math.max(red, green, blue);
  const chroma = most - Math.min(red, green, blue);
  if (chroma < LEAST_CHROMA) return 'neutral';
  const hue = hueOf(parts, most, chroma);
  return HUES.find(([end]) => hue < end)?.[1] ?? 'neutral';
}

type Parts = readonly [number, number, number];

/** Red, green and blue of `#rgb`, `#rrggbb`, `rgb(…)` or `rgba(…)`. */
function partsOf(color: string): Parts | undefined {
  const hex = /^#(?:([0-9a-f]{3,4})|([0-9a-f]{6}(?:[0-9a-f]{2})?))$/.exec(color);
  if (hex !== null) {
    const digits = hex[1] === undefined ? (hex[2] ?? '') : [...hex[1]].map(digit => digit + digit).join('');
    const part = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16);
    return [part(0), part(2), part(4)];
  }
  const numbers = /^rgba?\((\d{1,3}), ?(\d{1,3}), ?(\d{1,3})/.exec(color);
  return numbers === null ? undefined : [Number(numbers[1]), Number(numbers[2]), Number(numbers[3])];
}

/** Degrees of the colour circle. */
function hueOf([red, green, blue]: Parts, most: number, chroma: number): number {
  const sixth =
    most === red
      ? (green - blue) / chroma
      : most === green
        ? 2 + (blue - red) / chroma
        : 4 + (red - green) / chroma;
  return (sixth * 60 + 360) % 360;
}
