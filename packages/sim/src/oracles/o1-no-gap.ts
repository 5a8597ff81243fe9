import { follow, keyOf } from './followed.ts';
import type { Oracle, Violation } from './observations.ts';

export const noGap: Oracle = {
  id: 'O1',
  promise: 'between subscribed and the end of a subscription, offsets rise by exactly 1',
  judge({ seen }) {
    const violations: Violation[] = [];
    follow(seen, {
      published(event, before) {
        if (event.offset === (before?.offset ?? 0) + 1) return;
        const text = `${keyOf(event)} got ${event.offset} after ${before?.offset ?? 'nothing'}`;
        violations.push({ oracle: 'O1', atUs: event.atUs, text });
      },
    });
    return violations;
  },
};
