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
    for (const event of observations.seen) {
      if (event.kind === 'subscribed') continue;
      const key = keyOf(event);
      const { atUs } = event;
      const place = places.get(`${event.channel} ${event.text}`);
      const before = last.get(key) ?? -1;
      if (place === undefined)
        violations.push({ oracle: 'O15', atUs, text: `${key} got ${event.text}, which was not published` });
      else if (place.number < before || (place.number === before && !place.mayRepeat))
        violations.push({ oracle: 'O15', atUs, text: `${key} got ${event.text} again, or too late` });
      else last.set(key, place.number);
    }
    return violations;
  },
};

interface Place {
  readonly number: number;
  /** The road brought it to the node twice. */
  readonly mayRepeat: boolean;
}

/** Where each publication stands among all, by channel and text. */
function placesOf({ published, doubled = [] }: Observations): ReadonlyMap<string, Place> {
  const twice = new Set(doubled.map(({ channel, atUs }) => `${channel} ${atUs}`));
  return new Map(
    published.map(({ channel, text, atUs }, number) => [
      `${channel} ${text}`,
      { number, mayRepeat: twice.has(`${channel} ${atUs}`) },
    ]),
  );
}
