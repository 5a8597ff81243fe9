import type { JSX } from 'preact';
import { whole } from './text.ts';

/** One line of a chart. */
export interface Line {
  readonly name: string;
  /** Number of the series, from 1. */
  readonly color: number;
  /** The oldest first; times are Unix milliseconds. */
  readonly points: readonly (readonly [at: number, value: number])[];
}

const HEIGHT = 186;
const [LEFT, RIGHT, TOP, BOTTOM] = [48, 14, 10, 162];
/** Width of the drawing, and the times on it at most: the style shows the one for the window. */
const WIDTHS = [
  ['only-w', 745, 6],
  ['only-m', 706, 6],
  ['only-n', 326, 3],
] as const;
/** The same in a panel as wide as the page. */
const PAGE_WIDTH = 1060;
const MINUTE_MS = 60_000;
const MINUTES = [1, 2, 4];
const STEPS = [1, 2, 5];
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Three to six round numbers from 0 to above the greatest value. */
function ticksOf(most: number): readonly number[] {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const step = [...STEPS.map(one => (one * size) / 2), ...STEPS.map(one => one * size)]
    .toSorted((a, b) => a - b)
    .find(one => one >= 1 && one * 5 >= most);
  const each = step ?? 10 * size;
  return Array.from({ length: Math.max(3, Math.ceil(most / each) + 1) }, (_, at) => at * each);
}

/** Lines over the last minutes, from zero. */
export function LineChart(props: {
  readonly lines: readonly Line[];
  /** Unix milliseconds. */
  readonly now: number;
  readonly spanMs: number;
  readonly label: string;
  /** As wide as the page, not two thirds of it. */
  readonly isWide: boolean;
}): JSX.Element {
  return (
    <>
      {WIDTHS.map(([name, width, most]) => (
        <div key={name} class={name}>
          <Drawing
            {...props}
            width={props.isWide && name === 'only-w' ? PAGE_WIDTH : width}
            everyMs={periodOf(props.spanMs, most)}
          />
        </div>
      ))}
    </>
  );
}

/** Between two times, of which there are at most so many. */
function periodOf(spanMs: number, most: number): number {
  return (MINUTES.find(minutes => spanMs / (minutes * MINUTE_MS) <= most) ?? 8) * MINUTE_MS;
}

function Drawing({
  lines,
  now,
  spanMs,
  label,
  width,
  everyMs,
}: Parameters<typeof LineChart>[0] & { readonly width: number; readonly everyMs: number }): JSX.Element {
  const most = Math.max(0, ...lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const ticks = ticksOf(most);
  const top = ticks.at(-1) ?? 1;
  const x = (at: number): number => LEFT + (1 - (now - at) / spanMs) * (width - LEFT - RIGHT);
  const y = (value: number): number => BOTTOM - (value / top) * (BOTTOM - TOP);
  const first = Math.ceil((now - spanMs) / everyMs) * everyMs;
  const times = Array.from(
    { length: Math.floor((now - first) / everyMs) + 1 },
    (_, at) => first + at * everyMs,
  );
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
      {ticks.map((tick, at) => (
        <g key={tick}>
          <path class={at === 0 ? 'axis' : 'grid'} d={`M${LEFT} ${y(tick).toFixed(1)}H${width - RIGHT}`} />
          <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
            {whole(tick)}
          </text>
        </g>
      ))}
      {times.map(time => (
        <text key={time} x={x(time)} y={BOTTOM + 20} text-anchor="middle">
          {TIME.format(time)}
        </text>
      ))}
      {lines.map(({ name, color, points }) =>
        points.length < 2 ? null : (
          <path
            key={name}
            class={`line series-${color}`}
            d={`M${points.map(([at, value]) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join('L')}`}
          />
        ),
      )}
    </svg>
  );
}
