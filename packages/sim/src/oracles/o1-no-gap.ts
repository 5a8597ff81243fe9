import { follow, keyOf } from './followed.ts';
import type { Oracle, Violation } from './observations.ts';
import { Streams } from './streams.ts';

export const noGap: Oracle = {
  id: 'O1',
  promise:
    'between subscribed and the end of a subscription, offsets rise by exactly 1, but for those that a filter excludes',
  judge(observations) {
    if (observations.mode === 'off') return [];
    const violations: Violation[] = [];
    const streams = new Streams(observations);
    follow(observations, {
      published(event, before) {
        const next = (before?.offset ?? 0) + 1;
        if (event.offset === next || (before?.mayJump === true && event.offset > next)) return;
        if (streams.isLowerValue(event, before)) return;
        const isFiltered = streams.areExcluded(event.channel, before?.epoch ?? '', next - 1, event.offset);
        if (event.offset > next && isFiltered) return;
        const text = `${keyOf(event)} got ${event.offset} after ${before?.offset ?? 'nothing'}`;
        violations.push({ oracle: 'O1', atUs: event.atUs, text });
      },
    });
    return violations;
  },
};
