import type { LimitedCall, RateLimitRecord } from './backend-observations.ts';
import type { Observations, Oracle, Violation } from './observations.ts';

/** Nodes estimate the time of the store: each is wrong by half a round trip at most, which lasts 4 s at most. */
const ESTIMATE_US = 4_000_000;

export const rateLimit: Oracle = {
  id: 'O27',
  promise: 'in no window more is accepted than a rate limit allows, and nothing is refused below it',
  judge({ limited, wipedAtUs = [] }) {
    if (limited === undefined) return [];
    return [...tooMany(limited, wipedAtUs), ...refusedBelow(limited)];
  },
};

/** A call took its permit between its begin and its end. */
function tooMany(
  { calls, capacity, windowUs }: RateLimitRecord,
  wipedAtUs: NonNullable<Observations['wipedAtUs']>,
): Violation[] {
  const accepted = calls.filter(({ outcome }) => outcome === 'accepted');
  return accepted.flatMap(({ begunUs: fromUs }) => {
    const untilUs = fromUs + windowUs - ESTIMATE_US;
    // E3: what the store has lost it does not know.
    if (wipedAtUs.some(moment => moment >= fromUs && moment <= untilUs)) return [];
    const within = accepted.filter(({ begunUs, endedUs }) => begunUs >= fromUs && endedUs <= untilUs);
    if (within.length <= capacity) return [];
    return [
      { oracle: 'O27', atUs: untilUs, text: `${within.length} were accepted, and ${capacity} are allowed` },
    ];
  });
}

/** A call without an answer, or one that failed, may have taken a permit whenever a node came to it. */
function refusedBelow({ calls, capacity, windowUs }: RateLimitRecord): Violation[] {
  const mayHaveTaken = calls.filter(({ outcome }) => outcome !== 'refused');
  return calls.flatMap((refused: LimitedCall) => {
    if (refused.outcome !== 'refused') return [];
    const fromUs = refused.begunUs - windowUs - ESTIMATE_US;
    const taken = mayHaveTaken.filter(
      ({ begunUs, endedUs, outcome }) =>
        begunUs <= refused.endedUs && (endedUs >= fromUs || outcome === 'failed'),
    ).length;
    if (taken >= capacity) return [];
    return [
      { oracle: 'O27', atUs: refused.endedUs, text: `a call was refused after ${taken} of ${capacity}` },
    ];
  });
}
