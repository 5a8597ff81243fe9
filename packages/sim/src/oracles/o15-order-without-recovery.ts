import { keyOf } from './followed.ts';
import type { Observations, Oracle, Violation } from './observations.ts';

/** Where a subscriber is among all publications. */
interface Place {
  readonly number: number;
  readonly atUs: number;
  /** The road brought it to the node twice. */
  readonly mayRepeat: boolean;
  /** When the last node heard it. */
  readonly heardUs: number;
}

/** What a client has got in a channel. */
interface Progress {
  /** When its present subscription began. */
  readonly begunUs: number;
  /** The newest place of all its subscriptions. */
  newest: number;
  /** The newest place of the present one. */
  present: number;
}

export const orderWithoutRecovery: Oracle = {
  id: 'O15',
  promise: 'without recovery a client gets what was published in its channel, in that order and once',
  judge: observations => judgedRepeats(observations).violations,
};

/**
 * The exception: a client that has no position comes back through a node that is behind, and gets again what that node
 * hears only now. How often that happened.
 */
export function excusedRepeats(observations: Observations): number {
  return judgedRepeats(observations).excused;
}

function judgedRepeats(observations: Observations): { violations: readonly Violation[]; excused: number } {
  const violations: Violation[] = [];
  if (observations.mode !== 'off') return { violations, excused: 0 };
  const places = placesOf(observations);
  const progresses = new Map<string, Progress>();
  const lost = lostTexts(observations);
  let excused = 0;
  for (const event of observations.seen) {
    const key = keyOf(event);
    const before = progresses.get(key) ?? { begunUs: Number.POSITIVE_INFINITY, newest: -1, present: -1 };
    progresses.set(key, before);
    if (event.kind === 'subscribed') {
      progresses.set(key, { ...before, begunUs: event.begunUs, present: -1 });
      continue;
    }
    if (lost.has(`${event.channel} ${event.text}`)) continue;
    const { atUs } = event;
    const candidates = places.get(`${event.channel} ${event.text}`) ?? [];
    const next = candidates.find(place => place.atUs <= atUs && isBehind(place, before.newest));
    const again = candidates.find(
      place => isBehind(place, before.present) && place.heardUs >= before.begunUs,
    );
    if (next !== undefined) before.newest = before.present = next.number;
    else if (again !== undefined) {
      before.present = again.number;
      excused++;
    } else {
      const what = candidates.length > 0 ? ' again, or too late' : ', which was not published';
      violations.push({ oracle: 'O15', atUs, text: `${key} got ${event.text}${what}` });
    }
  }
  return { violations, excused };
}

/** What a fail-over lost may be published again, by who knows no answer: it has two places. */
function lostTexts({ published }: Observations): ReadonlySet<string> {
  const lost = published.filter(({ lostUs }) => lostUs !== undefined);
  return new Set(lost.map(({ channel, text }) => `${channel} ${text}`));
}

function isBehind({ number, mayRepeat }: Place, before: number): boolean {
  return number > before || (number === before && mayRepeat);
}

/**
 * Where each publication stands among all, by channel and text. One has several places where the store lost everything
 * between two tries of its publisher (O10 judges that).
 */
function placesOf({ published, doubled = [], heardUs }: Observations): ReadonlyMap<string, readonly Place[]> {
  const twice = new Set(doubled.map(({ channel, atUs }) => `${channel} ${atUs}`));
  const places = new Map<string, Place[]>();
  for (const [number, publication] of published.entries()) {
    const { channel, text, atUs } = publication;
    const key = `${channel} ${text}`;
    const several = places.get(key) ?? [];
    const mayRepeat = twice.has(`${channel} ${atUs}`);
    several.push({ number, atUs, mayRepeat, heardUs: heardUs?.(publication) ?? -1 });
    places.set(key, several);
  }
  return places;
}
