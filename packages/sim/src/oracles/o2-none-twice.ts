import { follow, keyOf } from './followed.ts';
import type { Oracle, Violation } from './observations.ts';
import { Streams } from './streams.ts';

export const noneTwice: Oracle = {
  id: 'O2',
  promise: 'no publication reaches an application twice without recovered: false between',
  judge(observations) {
    if (observations.mode === 'off') return [];
    const violations: Violation[] = [];
    const streams = new Streams(observations);
    const had = new Map<string, Set<string>>();
    follow(observations, {
      subscribed(event) {
        if (!event.recovered) had.delete(keyOf(event));
      },
      published(event, before) {
        const key = keyOf(event);
        const position = `${before?.epoch} ${event.offset}`;
        const positions = had.get(key) ?? new Set();
        had.set(key, positions);
        if (positions.has(position) && !streams.isLowerValue(event, before))
          violations.push({ oracle: 'O2', atUs: event.atUs, text: `${key} got ${event.offset} twice` });
        positions.add(position);
      },
    });
    return violations;
  },
};
