import type { JSX } from 'preact';

const WIDTH = 120;
const HEIGHT = 28;
const EDGE = 3;

/** The course of a figure over the last minutes, without axes. */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[];
  readonly label: string;
}): JSX.Element {
  const low = Math.min(...values);
  const range = Math.max(...values) - low || 1;
  const points = values.map((value, at) => {
    const x = (at / Math.max(1, values.length - 1)) * WIDTH;
    const y = HEIGHT - EDGE - ((value - low) / range) * (HEIGHT - 2 * EDGE);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  // One value has no course yet: its space stays empty.
  const last = points.length > 1 ? points.at(-1) : undefined;
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {points.length > 1 && <path d={`M${points.join('L')}`} />}
      {last !== undefined && <path class="end" d={`M${last}h0`} />}
    </svg>
  );
}
