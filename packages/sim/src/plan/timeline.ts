/** What a mark in a picture of a run stands for. */
export type TimelineKind = 'fault' | 'publication' | 'recovered' | 'unrecovered' | 'ended' | 'loss' | 'other';

/** Something of a run that a reader wants to see. */
export interface TimelineEvent {
  readonly atUs: number;
  /** Whose lane it stands in: a client, the node, the store, the faults. */
  readonly lane: string;
  readonly text: string;
  /** Absent: none of the others. */
  readonly kind?: TimelineKind;
}

/** Lines before the moment that matters; what is earlier is counted. */
const BEFORE = 60;

/** One line for each event up to a moment, with times relative to it, the lanes in columns. */
export function timelineText(events: readonly TimelineEvent[], atUs: number, end: string): string {
  const past = events.filter(event => event.atUs <= atUs).toSorted((a, b) => a.atUs - b.atUs);
  const shown = past.slice(-BEFORE);
  const width = Math.max(0, ...shown.map(({ lane }) => lane.length));
  const lines = shown.map(
    event => `${relative(event.atUs - atUs)}  ${event.lane.padEnd(width)}  ${event.text}`,
  );
  const left = past.length - shown.length;
  return [...(left > 0 ? [`${left} earlier events are not shown`] : []), ...lines, end, ''].join('\n');
}

function relative(us: number): string {
  return `${(us / 1_000_000).toFixed(3)} s`.padStart(14);
}
