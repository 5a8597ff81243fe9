import { keyOf } from './followed.ts';
import type { Observations, Oracle, Violation } from './observations.ts';

export const orderWithoutRecovery: Oracle = {
  id: 'O15',
  promise: 'without recovery a client gets what was published in its channel, in that order and once',
  judge(observations) {
    if (observations.mode !== 'off') return [];
    const violations: Violation[] = [];
    const places = placesOf(observations);
    const last = new Map<string, number>();
    const lost = lostTexts(observations);
    for (const event of observations.seen) {
      if (event.kind === 'subscribed') continue;
      if (lost.has(`${event.channel} ${event.text}`)) continue;
      const key = keyOf(event);
      const { atUs } = event;
      const candidates = places.get(`${event.channel} ${event.text}`) ?? [];
      const before = last.get(key) ?? -1;
      const next = candidates.find(place => place.atUs <= atUs && isBehind(place, before));
      if (next !== undefined) last.set(key, next.number);
      else if (candidates.length > 0)
        violations.push({ oracle: 'O15', atUs, text: `${key} got ${event.text} again, or too late` });
      else
        violations.push({ oracle: 'O15', atUs, text: `${key} got ${event.text}, which was not published` });
    }
    return violations;
  },
};

/** What a fail-over lost may be published again, by who knows no answer: it has two places. */
function lostTexts({ published }: Observations): ReadonlySet<string> {
  const lost = published.filter(({ lostUs }) => lostUs !== undefined);
  return new Set(lost.map(({ channel, text }) => `${channel} ${text}`));
}

interface Place {
  readonly number: number;
  readonly atUs: number;
  /** The road brought it to the node twice. */
  readonly mayRepeat: boolean;
}

function isBehind({ number, mayRepeat }: Place, before: number): boolean {
  return number > before || (number === before && mayRepeat);
}

/**
 * Where each publication stands among all, by channel and text. One has several places where the store lost everything
 * between two tries of its publisher (O10 judges that).
 */
function placesOf({ published, doubled = [] }: Observations): ReadonlyMap<string, readonly Place[]> {
  const twice = new Set(doubled.map(({ channel, atUs }) => `${channel} ${atUs}`));
  const places = new Map<string, Place[]>();
  for (const [number, { channel, text, atUs }] of published.entries()) {
    const key = `${channel} ${text}`;
    const several = places.get(key) ?? [];
    several.push({ number, atUs, mayRepeat: twice.has(`${channel} ${atUs}`) });
    places.set(key, several);
  }
  return places;
}
