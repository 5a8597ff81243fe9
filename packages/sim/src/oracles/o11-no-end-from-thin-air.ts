import { keyOf } from './followed.ts';
import type { Oracle, SubscribedEvent } from './observations.ts';

export const noEndFromThinAir: Oracle = {
  id: 'O11',
  promise: 'a subscription ends with 2500 only if a message of its channel was lost since it began',
  judge({ ends = [], losses = [], seen }) {
    const begun = new Map<string, SubscribedEvent[]>();
    for (const event of seen) {
      if (event.kind !== 'subscribed') continue;
      begun.set(keyOf(event), [...(begun.get(keyOf(event)) ?? []), event]);
    }
    return ends.flatMap(end => {
      const { channel, atUs, code } = end;
      if (code !== INSUFFICIENT_STATE) return [];
      const since = begun.get(keyOf(end))?.findLast(event => event.atUs <= atUs)?.begunUs ?? 0;
      const isCaused = losses.some(
        loss => loss.channel === channel && (loss.untilUs ?? loss.atUs) >= since && loss.atUs <= atUs,
      );
      return isCaused ? [] : [{ oracle: 'O11', atUs, text: `${keyOf(end)} ended, and nothing was lost` }];
    });
  },
};

/** The end of a subscription whose client has to recover. */
const INSUFFICIENT_STATE = 2500;
