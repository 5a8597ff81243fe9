const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};

/** Milliseconds of a duration of Prometheus such as `90s` or `1h30m`; undefined for any other text. */
export function durationMs(text: string): number | undefined {
  if (!/^(?:\d{1,9}(?:ms|[smhdwy]))+$/.test(text)) return undefined;
  let sum = 0;
  for (const part of text.split(/(?<=[a-z])(?=\d)/)) {
    const digits = Number.parseInt(part, 10);
    sum += digits * (UNITS[part.replace(/^\d+/, '')] ?? 0);
  }
  return sum;
}

/** A duration as Prometheus reads it. */
export function durationText(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}
