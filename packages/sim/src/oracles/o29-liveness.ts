import { follow, keyOf, type Standing } from './followed.ts';
import type { Oracle } from './observations.ts';
import { Streams } from './streams.ts';

export const liveness: Oracle = {
  id: 'O29',
  promise: '120 s after the last fault every client that wants to be is subscribed and at the top',
  judge(observations) {
    const streams = new Streams(observations);
    const standings = new Map<string, Standing>();
    follow(observations.seen, {
      subscribed: (event, before) => {
        const offset = event.recovered ? (before?.offset ?? 0) : event.offset;
        standings.set(keyOf(event), { epoch: event.epoch, offset });
      },
      published: (event, before) => {
        standings.set(keyOf(event), { epoch: before?.epoch ?? '', offset: event.offset });
      },
    });
    const { endUs, rests } = observations;
    return rests.flatMap(rest => {
      const key = keyOf(rest);
      const standing = standings.get(key);
      if (!rest.isSubscribed || standing === undefined)
        return [{ oracle: 'O29', atUs: endUs, text: `${key} is not subscribed` }];
      const epoch = streams.epochAt(rest.channel, endUs);
      const isAtTop =
        epoch === undefined
          ? standing.offset === 0
          : standing.epoch === epoch && streams.isTop(rest.channel, standing, endUs);
      if (isAtTop) return [];
      return [
        { oracle: 'O29', atUs: endUs, text: `${key} is at ${standing.offset}, behind the top of ${epoch}` },
      ];
    });
  },
};
