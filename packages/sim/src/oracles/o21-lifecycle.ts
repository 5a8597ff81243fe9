import type { ChannelChange } from './backend-observations.ts';
import type { Oracle } from './observations.ts';

/** Nodes estimate the time of the store: each is wrong by half a round trip at most, which lasts 4 s at most. */
const ESTIMATE_MS = 4000;

export const lifecycle: Oracle = {
  id: 'O21',
  promise: 'a channel closes or is deleted once, and does not close as long as something happens in it',
  judge({ changes = [] }) {
    const records = new Map<string, ChannelChange>();
    return changes.flatMap(change => {
      const { name, state, atMs } = change;
      const before = records.get(name);
      records.set(name, change);
      if (before === undefined || state === 'open') return [];
      const atUs = atMs * 1000;
      if (before.state === state) return [{ oracle: 'O21', atUs, text: `${name} became ${state} again` }];
      const idleMs = atMs - before.activeMs;
      if (state !== 'closed' || !(idleMs < before.ttlMs - ESTIMATE_MS)) return [];
      const text = `${name} closed after ${idleMs} ms of ${before.ttlMs} without activity`;
      return [{ oracle: 'O21', atUs, text }];
    });
  },
};
