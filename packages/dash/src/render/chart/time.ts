const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** The milliseconds since 1970 of an ISO date with or without a time; without a zone it is UTC. Undefined for any other text. */
export function timeOf(text: string): number | undefined {
  if (!ISO.test(text) || !isDay(text)) return undefined;
  const written = text.replace(' ', 'T');
  const time = Date.parse(
    written.length === 10 || /Z|[+-]\d{2}:\d{2}$/.test(written) ? written : `${written}Z`,
  );
  return Number.isNaN(time) ? undefined : time;
}

/** False for a day that no month has, such as 30 February, which `Date` moves into March. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
