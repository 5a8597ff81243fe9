/** Milliseconds per unit of the Go duration syntax. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/**
 * Reads a duration in Go syntax (`1h30m`, `250ms`, `-1.5s`, `0`).
 * @returns milliseconds, possibly fractional; `undefined` when the text is not a duration.
 * Source: messaging details, section 0.
 */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === '0') return 0;
  if (body === '') return undefined;
  let total = 0;
  let position = 0;
  while (position < body.length) {
    PART.lastIndex = position;
    const match = PART.exec(body);
    if (match === null) return undefined;
    total += Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? Number.NaN);
    position = PART.lastIndex;
  }
  return Number.isFinite(total) ? sign * total : undefined;
}

function fraction(nanoseconds: number, digits: number): string {
  const text = String(nanoseconds).padStart(digits, '0').replace(/0+$/, '');
  return text === '' ? '' : `.${text}`;
}

/**
 * Prints milliseconds in the canonical Go form: `30m0s`, `1h0m0s`, `5s`, `1.5s`, `100ms`, `0s`.
 * Source: messaging details, section 0.
 */
export function formatDuration(ms: number): string {
  const total = Math.round(Math.abs(ms) * 1e6);
  if (total === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  if (total < 1e3) return `${sign}${total}ns`;
  if (total < 1e6) return `${sign}${Math.floor(total / 1e3)}${fraction(total % 1e3, 3)}µs`;
  if (total < 1e9) return `${sign}${Math.floor(total / 1e6)}${fraction(total % 1e6, 6)}ms`;
  const seconds = Math.floor(total / 1e9);
  const tail = `${seconds % 60}${fraction(total % 1e9, 9)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return sign + tail;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${sign}${minutes}m${tail}` : `${sign}${hours}h${minutes % 60}m${tail}`;
}
