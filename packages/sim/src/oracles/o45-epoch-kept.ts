import type { Observations, Oracle, Published } from './observations.ts';

export const epochKept: Oracle = {
  id: 'O45',
  promise: 'a stream has another epoch only if its store lost something',
  judge(observations) {
    if (observations.wipedAtUs === undefined) return [];
    const newest = new Map<string, Published>();
    return observations.published.flatMap(publication => {
      const { channel, epoch, atUs } = publication;
      const before = newest.get(channel);
      newest.set(channel, publication);
      if (before === undefined || before.epoch === epoch || hasLost(observations, before.atUs, atUs))
        return [];
      return [{ oracle: 'O45', atUs, text: `${channel} changed from ${before.epoch} to ${epoch}` }];
    });
  },
};

/** The store was emptied, or was not one server, since a moment. A stream is renewed after its fail-over, some time. */
function hasLost({ wipedAtUs = [], forks = [] }: Observations, sinceUs: number, untilUs: number): boolean {
  const isEmptied = wipedAtUs.some(moment => moment >= sinceUs && moment <= untilUs);
  return isEmptied || forks.some(({ atUs }) => atUs <= untilUs);
}
