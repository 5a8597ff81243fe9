import type { TimelineEvent, TimelineKind } from '../plan/timeline.ts';
import { escaped } from './escaped.ts';

/** Height of a lane, CSS pixels. */
const LANE = 22;
/** Below the lanes: the axis. */
const AXIS = 24;
/** Marks on the axis. */
const TICKS = 4;
/** Lanes that are not of clients, from the top. */
const FIRST = ['faults', 'store', 'road', 'node'];

/** The mark of each kind of event: what it is called, and its shape around the origin. */
const MARKS: Readonly<Record<TimelineKind, readonly [name: string, shape: string]>> = {
  fault: ['fault', '<path d="M0-5 5 4H-5Z"/>'],
  publication: ['publication', '<circle r="3"/>'],
  recovered: ['subscribed', '<circle r="4"/>'],
  unrecovered: ['not recovered', '<path d="M0-5 5 0 0 5-5 0Z"/>'],
  ended: ['subscription or connection ended', '<path d="M-4-4H4V4H-4Z"/>'],
  loss: ['message lost or doubled', '<path d="M-4-4 4 4M4-4-4 4"/>'],
  other: ['other', '<circle r="2"/>'],
};

/** Names the marks. */
export const LEGEND = `<ul class="legend">${Object.entries(MARKS)
  .map(
    ([kind, [name, shape]]) =>
      `<li><svg viewBox="-6 -6 12 12" aria-hidden="true"><g id="m-${kind}" class="${kind}">${shape}</g></svg>${name}</li>`,
  )
  .join('')}</ul>`;

/** A row for each lane, a mark for each event, time from left to right; the moment that matters is the right edge. */
export function lanesChart(events: readonly TimelineEvent[], momentUs: number): string {
  const lanes = lanesOf(events);
  const fromUs = Math.min(momentUs - 1, ...events.map(({ atUs }) => atUs));
  const place = (atUs: number): string => `${(((atUs - fromUs) / (momentUs - fromUs)) * 100).toFixed(2)}%`;
  const height = lanes.length * LANE;
  const lines = lanes.map((_, i) => `<line class="lane" x2="100%" y1="${middle(i)}" y2="${middle(i)}"/>`);
  const marks = events.map(
    ({ atUs, lane, kind = 'other' }, i) =>
      `<use href="#m-${kind}" x="${place(atUs)}" y="${middle(lanes.indexOf(lane))}" data-i="${i}"/>`,
  );
  const ticks = Array.from({ length: TICKS }, (_, i) => {
    const atUs = fromUs + ((momentUs - fromUs) * i) / TICKS;
    const seconds = ((atUs - momentUs) / 1_000_000).toFixed(1);
    return `<line class="tick" x1="${place(atUs)}" x2="${place(atUs)}" y2="${height}"/><text x="${place(atUs)}" y="${height + 16}">${seconds} s</text>`;
  });
  return `<div class="lanes"><ol>${lanes.map(lane => `<li>${escaped(lane)}</li>`).join('')}</ol>
<svg height="${height + AXIS}" role="img" aria-label="Events by lane and time; the table below lists them">${lines.join('')}${ticks.join('')}
<line class="moment" x1="100%" x2="100%" y2="${height}"/><text class="end" x="100%" y="${height + 16}">0 s</text>
<line id="cursor" y2="${height}" hidden/>
${marks.join('\n')}</svg></div>`;
}

function middle(lane: number): number {
  return lane * LANE + LANE / 2;
}

/** Lanes of the world first, then clients by their numbers. */
function lanesOf(events: readonly TimelineEvent[]): readonly string[] {
  const rank = (lane: string): number => {
    const first = FIRST.indexOf(lane);
    return first === -1 ? FIRST.length : first;
  };
  return [...new Set(events.map(({ lane }) => lane))].toSorted(
    (a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }),
  );
}
