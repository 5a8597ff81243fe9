import { describe, expect, it } from 'vitest';
import type { Observations, Published, Seen } from '../src/oracles/observations.ts';
import { roundsOf } from '../src/plan/timetable.ts';
import { judgedRounds } from '../src/world/standard/judged-rounds.ts';

const [client, channel] = ['ann', 'public:sim.c0'];
const SECOND = 1_000_000;
const rests = [{ client, channel, isSubscribed: true }];
const rounds = roundsOf({ stormMs: 60_000, calmMs: 150_000, quietMs: 50_000, hours: 0.12 });
const [first] = rounds.earlier;
if (first === undefined) throw new Error('the run has two rounds');

function published(offset: number, atS: number): Published {
  return { atUs: atS * SECOND, channel, epoch: 'e', offset, text: `text ${offset}` };
}

function got(offset: number, atS: number): Seen {
  return { kind: 'publication', client, channel, atUs: atS * SECOND, offset, text: `text ${offset}` };
}

const position = { epoch: 'e', offset: 0, wasRecovering: false, recovered: false };
const subscribed: Seen = { kind: 'subscribed', client, channel, atUs: 500, begunUs: 400, ...position };

/** Two publications in the first round and one in the second. */
function seeing(...seen: readonly Seen[]): Observations {
  return {
    published: [published(1, 10), published(2, 20), published(3, 300)],
    seen: [subscribed, ...seen],
    retention: { size: 5, ttlMs: 600_000 },
    rests,
    endUs: rounds.last.endMs * 1000,
  };
}

describe('a run of two rounds', () => {
  const calms = [{ round: first, rests, remembered: new Set<Published>() }];

  it('is judged clean when its client is at the top at the end of each calm', () => {
    expect(rounds.all).toHaveLength(2);
    expect(judgedRounds(seeing(got(1, 10), got(2, 21), got(3, 301)), calms)).toEqual([]);
  });

  it('breaks a promise when its client was behind at the end of the first calm', () => {
    const violations = judgedRounds(seeing(got(1, 10), got(2, 250), got(3, 301)), calms);
    expect(violations).toEqual([
      { oracle: 'O29', atUs: first.endMs * 1000, text: 'ann in public:sim.c0 is at 1, behind the top of e' },
    ]);
  });

  it('breaks a promise when its client was not subscribed there', () => {
    const away = calms.map(calm => ({ ...calm, rests: [{ client, channel, isSubscribed: false }] }));
    const found = judgedRounds(seeing(got(1, 10), got(2, 21), got(3, 301)), away);
    expect(found.map(({ oracle, atUs }) => [oracle, atUs])).toEqual([['O29', first.endMs * 1000]]);
  });
});
