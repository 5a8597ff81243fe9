import type { Oracle } from './observations.ts';

/** A node that hears nothing of the ring for a while reads it again. */
const HEARD_US = 65_000_000;

export const keysKept: Oracle = {
  id: 'O20',
  promise: 'of signing keys that are added at the same time none is lost, and all nodes come to know them',
  judge({ keys, wipedAtUs = [], hearsFromUs = 0 }) {
    const { added = [], lists = [], retired = [] } = keys ?? {};
    return lists.flatMap(({ ids, begunUs, endedUs: atUs }) => {
      if (begunUs < hearsFromUs) return [];
      const missing = added.filter(
        key =>
          key.endedUs + HEARD_US <= begunUs &&
          !ids.includes(key.id) &&
          !retired.includes(key.id) &&
          // E3: what the store has lost is gone.
          !wipedAtUs.some(moment => moment >= key.begunUs && moment <= atUs),
      );
      return missing.map(({ id }) => ({ oracle: 'O20', atUs, text: `key ${id} is not listed` }));
    });
  },
};
