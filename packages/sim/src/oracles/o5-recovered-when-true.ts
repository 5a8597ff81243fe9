import { follow, keyOf } from './followed.ts';
import type { Oracle, Violation } from './observations.ts';
import { Streams } from './streams.ts';

export const recoveredWhenTrue: Oracle = {
  id: 'O5',
  promise: 'recovered: true only if everything missed was in the window at some moment of the subscribe',
  judge(observations) {
    if ((observations.mode ?? 'stream') !== 'stream') return [];
    const violations: Violation[] = [];
    const streams = new Streams(observations);
    follow(observations, {
      subscribed(event, before) {
        if (!event.recovered) return;
        const { atUs, begunUs, channel, epoch } = event;
        // A stream only loses: the beginning of the attempt is its best moment.
        const could = before?.epoch === epoch && streams.continuesFrom(channel, before, begunUs);
        // What a fail-over lost is judged by E1.
        if (could || streams.isForked(channel, epoch, begunUs, atUs)) return;
        const where = before === undefined ? 'nothing' : `${before.offset} of ${before.epoch}`;
        violations.push({ oracle: 'O5', atUs, text: `${keyOf(event)} recovered in ${epoch} from ${where}` });
      },
    });
    return violations;
  },
};
