import { follow } from './followed.ts';
import type { Oracle, Violation } from './observations.ts';
import { Streams } from './streams.ts';

export const oneOrder: Oracle = {
  id: 'O8',
  promise: 'all clients see one order, that of the offsets',
  judge(observations) {
    if (observations.mode === 'off') return [];
    const violations: Violation[] = [];
    const streams = new Streams(observations);
    const texts = new Map<string, { readonly text: string; readonly client: string }>();
    follow(observations, {
      published({ client, channel, offset, text, atUs }, before) {
        const position = `${offset} of ${before?.epoch} in ${channel}`;
        const earlier = texts.get(position);
        if (earlier === undefined) texts.set(position, { text, client });
        else if (earlier.text !== text && !streams.isGivenAgain(channel, before?.epoch ?? '', offset))
          violations.push({
            oracle: 'O8',
            atUs,
            text: `${client} and ${earlier.client} differ at ${position}`,
          });
      },
    });
    return violations;
  },
};
