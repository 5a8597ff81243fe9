import { follow, keyOf } from './followed.ts';
import type { Oracle, Violation } from './observations.ts';
import { Streams } from './streams.ts';

export const unrecoveredWhenLost: Oracle = {
  id: 'O6',
  promise: 'recovered: false only if at some moment of the subscribe the stream could not be continued',
  judge(observations) {
    if ((observations.mode ?? 'stream') !== 'stream') return [];
    const violations: Violation[] = [];
    const streams = new Streams(observations);
    follow(observations, {
      subscribed(event, before) {
        if (event.recovered || !event.wasRecovering || before === undefined) return;
        const { atUs, begunUs, channel, epoch } = event;
        // A stream only loses: the arrival of the answer is its worst moment.
        if (before.epoch !== epoch || !streams.continuesFrom(channel, before, atUs)) return;
        if (streams.isForked(channel, epoch, begunUs, atUs)) return;
        violations.push({
          oracle: 'O6',
          atUs,
          text: `${keyOf(event)} was not recovered from ${before.offset} of ${epoch}, where nothing was lost`,
        });
      },
    });
    return violations;
  },
};
