const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** Unix milliseconds of a member: an RFC 3339 text, or seconds in a member named `…_unix`; `undefined` for another value. */
export function timeOf(name: string, value: unknown): number | undefined {
  if (typeof value === 'string' && RFC_3339.test(value)) return Date.parse(value);
  return typeof value === 'number' && value > 0 && name.endsWith('_unix') ? value * 1000 : undefined;
}

/** A time as people say it: `3 min ago`, `in 5 h`, `now`. */
export function relativeTime(ms: number, now: number): string {
  const distance = Math.abs(ms - now);
  const [unit, length] = UNITS.find(([, length]) => distance >= length) ?? [];
  if (unit === undefined) return 'now';
  const amount = `${Math.floor(distance / length)} ${unit}`;
  return ms > now ? `in ${amount}` : `${amount} ago`;
}
