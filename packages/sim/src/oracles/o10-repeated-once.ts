import type { Oracle } from './observations.ts';

export const repeatedOnce: Oracle = {
  id: 'O10',
  promise: 'a publish that is repeated with its key or its version is in the stream once',
  judge({ published, isPublishedOnce = false, wipedAtUs = [] }) {
    if (!isPublishedOnce) return [];
    const had = new Set<string>();
    let wipes = 0;
    return published.flatMap(({ channel, epoch, offset, text, atUs, lostUs }) => {
      // E3: what the store has lost, it does not know any more.
      const before = wipedAtUs.filter(moment => moment < atUs).length;
      if (before > wipes) had.clear();
      wipes = before;
      // A server that was replaced does not know what its successor has, and loses it again.
      if (lostUs === atUs) return [];
      const key = `${channel} ${text}`;
      if (had.has(key))
        return [{ oracle: 'O10', atUs, text: `${text} is in ${epoch} of ${channel} again, at ${offset}` }];
      if (lostUs === undefined) had.add(key);
      return [];
    });
  },
};
