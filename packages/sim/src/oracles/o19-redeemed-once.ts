import type { Redemption } from './backend-observations.ts';
import type { Observations, Oracle, Violation } from './observations.ts';

export const redeemedOnce: Oracle = {
  id: 'O19',
  promise:
    'a refresh token is redeemed once, and a session ends when one of its tokens is used again, and not before',
  judge(observations) {
    const { redemptions = [] } = observations;
    const sessions = Map.groupBy(redemptions, ({ session }) => session);
    return [...sessions.values()].flatMap(same => [
      ...redeemedTwice(same, observations),
      ...livesOn(same, observations),
      ...endsEarly(same, observations),
    ]);
  },
};

/** E3: what the store has lost it does not know. */
function isForgotten({ wipedAtUs = [] }: Observations, fromUs: number, untilUs: number): boolean {
  return wipedAtUs.some(moment => moment >= fromUs && moment <= untilUs);
}

function redeemedTwice(redemptions: readonly Redemption[], observations: Observations): Violation[] {
  const byToken = Map.groupBy(
    redemptions.filter(({ outcome }) => outcome === 'redeemed'),
    ({ number }) => number,
  );
  return [...byToken].flatMap(([number, [first, second]]) => {
    if (first === undefined || second === undefined) return [];
    const { session, endedUs: atUs } = second;
    if (isForgotten(observations, Math.min(first.begunUs, second.begunUs), atUs)) return [];
    return [{ oracle: 'O19', atUs, text: `token ${number} of session ${session} was redeemed twice` }];
  });
}

/**
 * After a token was redeemed, and denied to who came with it again, the session has no further one. A node whose clock is far
 * behind denies what is not valid yet for it (E4).
 */
function livesOn(redemptions: readonly Redemption[], observations: Observations): Violation[] {
  const { skewedFromUs = Number.POSITIVE_INFINITY } = observations;
  const reused = redemptions.filter(
    ({ number, endedUs, outcome }) =>
      outcome === 'denied' &&
      endedUs < skewedFromUs &&
      redemptions.some(other => other.number === number && other.outcome === 'redeemed'),
  );
  const deadUs = Math.min(...reused.map(({ endedUs }) => endedUs));
  return redemptions.flatMap(({ session, number, begunUs, endedUs, outcome }) => {
    if (outcome !== 'redeemed' || begunUs <= deadUs || isForgotten(observations, 0, endedUs)) return [];
    const text = `token ${number} of session ${session} was redeemed after an earlier one was used again`;
    return [{ oracle: 'O19', atUs: endedUs, text }];
  });
}

/** A token that was not presented before is taken, if each earlier one of its session was redeemed and not used again. */
function endsEarly(redemptions: readonly Redemption[], observations: Observations): Violation[] {
  const { skewedFromUs = Number.POSITIVE_INFINITY } = observations;
  return redemptions.flatMap(denied => {
    const { session, number, endedUs: atUs, outcome } = denied;
    if (outcome !== 'denied' || atUs >= skewedFromUs || isForgotten(observations, 0, atUs)) return [];
    const others = redemptions.filter(other => other !== denied && other.begunUs <= atUs);
    const areInOrder = others.every(other => other.outcome === 'redeemed' && other.number < number);
    if (!areInOrder || others.length !== number) return [];
    return [
      { oracle: 'O19', atUs, text: `token ${number} of session ${session} was denied, and never used` },
    ];
  });
}
