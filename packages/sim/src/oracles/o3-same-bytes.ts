import { follow, keyOf } from './followed.ts';
import type { Oracle, Violation } from './observations.ts';
import { Streams } from './streams.ts';

export const sameBytes: Oracle = {
  id: 'O3',
  promise: 'what arrives at a position is what was published there, in that channel',
  judge(observations) {
    if (observations.mode === 'off') return [];
    const violations: Violation[] = [];
    const streams = new Streams(observations);
    follow(observations, {
      published(event, before) {
        const expected = streams.textsAt(event.channel, before?.epoch ?? '', event.offset);
        if (expected.includes(event.text)) return;
        const text = `${keyOf(event)} got ${shown(event.text)} at ${event.offset}; published was ${shown(expected[0])}`;
        violations.push({ oracle: 'O3', atUs: event.atUs, text });
      },
    });
    return violations;
  },
};

function shown(text: string | undefined): string {
  return text === undefined ? 'nothing' : text.slice(0, 80);
}
