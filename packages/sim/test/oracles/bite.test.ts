import { describe, expect, it } from 'vitest';
import { ORACLES } from '../../src/oracles/all.ts';
import { excusedLostTails } from '../../src/oracles/e1-lost-tail.ts';
import { excusedRepeats } from '../../src/oracles/o15-order-without-recovery.ts';
import type {
  CommittedRow,
  Loss,
  Observations,
  OutboxRecord,
  Published,
  Seen,
  WorkerAct,
} from '../../src/oracles/observations.ts';
import type { PushAnswer, PushRecord, SinkAttempt } from '../../src/oracles/push.ts';
import { annOf, bobOf, inCompany, looked, told } from './company.ts';
import { again, all, CHANNEL, found, got, lost, published, SECOND, seeing, subscribed } from './seen.ts';

/** The service ended ann's subscription after four seconds. */
const ended = { client: 'ann', channel: CHANNEL, atUs: 4 * SECOND, code: 2500 };
/** The service told ann to stop after so many seconds of an attempt. */
const stopped = (code: number, afterS: number) => ({
  stops: [{ client: 'ann', begunUs: SECOND, atUs: (1 + afterS) * SECOND, code }],
});
const lossAt = (atS: number): Loss => ({ channel: CHANNEL, atUs: atS * SECOND });
const rest = { client: 'ann', channel: CHANNEL, isSubscribed: true };

/** Cache mode: a client gets the newest value, and what follows. */
function caching(seen: readonly Seen[], change: Partial<Observations> = {}): Observations {
  return seeing(seen, { mode: 'cache', ...change });
}

/** Publications without positions; `ann` may have been told twice of those in `doubled`. */
function unpositioned(seen: readonly Seen[], change: Partial<Observations> = {}): Observations {
  return seeing(seen, { mode: 'off', rests: [rest], ...change });
}

/** A fail-over lost the third publication, which a node still knows; its offset was given again. */
function afterFailOver(seen: readonly Seen[], isRemembered = true): Observations {
  const tail = { ...published(3), lostUs: 3.5 * SECOND };
  const again3 = { ...published(3), text: 'given again', atUs: 4 * SECOND, line: 1 };
  return seeing([subscribed(0), ...seen], {
    published: [published(1), published(2), tail, again3, { ...published(4), atUs: 5 * SECOND, line: 1 }],
    forks: [{ atUs: 3.5 * SECOND, untilUs: 4 * SECOND }],
    remembered: new Set(isRemembered ? [tail] : []),
    rests: [rest],
  });
}
const givenAgain = { ...got(4), atUs: 5 * SECOND + 1000 };

const live = subscribed(0, { epoch: '' });

/** A client that has got everything subscribes anew, and gets this. */
function comesBack(...seen: readonly Seen[]): readonly Seen[] {
  return [live, ...all, subscribed(10, { epoch: '' }), ...seen];
}

/** A row of the outbox in the stream. */
function streamed(row: number, epoch = 'e', atS = row): Published {
  const text = JSON.stringify({ row, channel: CHANNEL });
  return { atUs: atS * SECOND, channel: CHANNEL, epoch, offset: 0, text };
}

function committed(id: number, commit = id): CommittedRow {
  return { id, channel: CHANNEL, kind: 'publish', commit, atUs: id * SECOND };
}

/** Rows 1 to 3 were committed one after the other. */
function outbox(rows: readonly Published[], change: Partial<OutboxRecord> = {}): Observations {
  const all = [committed(1), committed(2), committed(3)];
  const tops: Record<string, number> = {};
  const published = rows.map(row => {
    const offset = (tops[row.epoch] ?? 0) + 1;
    tops[row.epoch] = offset;
    return { ...row, offset };
  });
  return seeing([], {
    published,
    outbox: { committed: all, dead: [], waiting: [], leases: [], requests: [], ...change },
  });
}

function at(second: number): WorkerAct {
  return { worker: 'worker 0', atUs: second * SECOND };
}

function answered(atS: number, status: number, change: Partial<PushAnswer> = {}): PushAnswer {
  return { row: 1, status, isLost: false, retryAfterS: 0, atUs: atS * SECOND, ...change };
}

/** An attempt that begins 0.1 s before the second in which it is answered. */
function tried(atS: number, outcome: SinkAttempt['outcome'], change: Partial<SinkAttempt> = {}): SinkAttempt {
  const times = { begunUs: (atS - 0.1) * SECOND, endedUs: (atS + 0.1) * SECOND };
  return { row: 1, delivery: 0, ...times, outcome, status: undefined, ...change };
}

/** Row 1 was claimed once. */
function pushing(record: Partial<PushRecord>): Observations {
  const none = { answers: [], attempts: [], letters: [], faults: [] };
  return seeing([], { push: { ...none, claims: new Map([[1, 1]]), ...record } });
}

const busy = tried(1, 'transient', { status: 429 });
const wait = answered(1, 429, { retryAfterS: 3 });
const again201 = {
  attempts: [tried(1, 'sent'), tried(5, 'sent', { delivery: 1 })],
  answers: [answered(1, 201), answered(5, 201)],
};

const inOrder = [streamed(1), streamed(2), streamed(3)];
const died = { row: 2, code: 'MSG_INVALID_ARGUMENT', atUs: 9 * SECOND };

describe('the oracles are content', () => {
  it.each<[string, Observations]>([
    ['a client that did not connect within 15 s is told to stop', seeing([], stopped(3502, 16))],
    ['with everything in order', seeing([subscribed(0), ...all], { rests: [rest] })],
    [
      'when a client that was held back during its handshake has stopped',
      seeing([], { rests: [{ ...rest, isSubscribed: false, staleAfterUs: 18 * SECOND }] }),
    ],
    [
      'with a recovery from inside the window',
      seeing([subscribed(0), got(1), got(2), subscribed(6, again), ...all.slice(2)]),
    ],
    [
      'with a loss that is told',
      seeing([subscribed(0), got(1), subscribed(8, { ...lost, offset: 8 }), got(9), got(10)]),
    ],
    ['with the last position and nothing new', seeing([subscribed(0), ...all, subscribed(15, again)])],
    [
      'with an expired window',
      seeing([subscribed(0), ...all.slice(0, 9), subscribed(100, { ...lost, offset: 10 })]),
    ],
    [
      'when what was repeated is there again after the store lost everything',
      seeing([], {
        published: [published(1), { ...published(1, 'f'), atUs: 2 * SECOND, text: 'text 1 of e' }],
        isPublishedOnce: true,
        wipedAtUs: [1.5 * SECOND],
      }),
    ],
    [
      'when a loss was before every node should hear',
      seeing([], { losses: [lossAt(8)], hearsFromUs: 9 * SECOND }),
    ],
    ['with a new epoch', seeing([subscribed(0), ...all, subscribed(15, { ...lost, epoch: 'f' })])],
    [
      'with the newest value',
      caching([subscribed(0), got(1), subscribed(8, again), got(8), got(9), got(10)]),
    ],
    ['with the newest value at once', caching([subscribed(6.5, again), got(6), got(7)])],
    ['with the newest value, which the client had', caching([subscribed(0), ...all, subscribed(11, again)])],
    [
      'with the newest value of a new epoch',
      {
        ...caching([
          subscribed(0),
          got(1),
          got(2),
          subscribed(5.2, { ...again, epoch: 'f' }),
          got(1, 'text 1 of f'),
        ]),
        published: [published(1), published(2), { ...published(1, 'f'), atUs: 5 * SECOND }],
      },
    ],
    ['with an expired value', caching([subscribed(0), got(1), subscribed(100, { ...lost, offset: 10 })])],
    ['without recovery and with what was published since', unpositioned([live, ...all])],
    [
      'without recovery and with a loss on the road',
      unpositioned([live, ...all.slice(0, 9)], { losses: [lossAt(10)] }),
    ],
    [
      'without recovery and with what the road brought twice',
      unpositioned([live, got(1), got(1), ...all.slice(1)], { doubled: [lossAt(1)] }),
    ],
    [
      'without recovery and with what was missed between two subscribes',
      unpositioned([live, got(1), subscribed(6, { epoch: '' }), ...all.slice(6)]),
    ],
    [
      'without recovery and with what a node that is behind hears only after its client has come',
      unpositioned(comesBack(got(8), got(9)), { heardUs: () => 11 * SECOND }),
    ],
    [
      'without recovery when what was repeated came again after the store lost everything',
      unpositioned([live, got(1), got(2), got(3, 'text 1 of e')], {
        published: [published(1), published(2), { ...published(3), text: 'text 1 of e' }],
        wipedAtUs: [2.5 * SECOND],
      }),
    ],
    [
      'with what a filter lets pass',
      unpositioned([live, ...all.slice(0, 6), ...all.slice(7)], {
        isExcluded: text => text.includes('text 7 '),
      }),
    ],
    [
      'with a new epoch of a store that was emptied',
      seeing([], {
        published: [published(1), { ...published(1, 'f'), atUs: 2 * SECOND }],
        wipedAtUs: [1.5 * SECOND],
      }),
    ],
    [
      'with a new epoch after a fail-over',
      seeing([], {
        published: [published(1), published(2, 'f')],
        wipedAtUs: [],
        forks: [{ atUs: 1.5 * SECOND, untilUs: 1.6 * SECOND }],
        renewals: [{ channel: CHANNEL, epoch: 'f', before: 'e', atUs: 1.7 * SECOND, offset: 1 }],
      }),
    ],
    [
      'with positions that a filter leaves out, also at the top',
      seeing([subscribed(0), ...all.filter((_, i) => i !== 4 && i !== 9)], {
        isExcluded: text => /text (?:5|10) /.test(text),
        rests: [rest],
      }),
    ],
    ['with everybody who is there', seeing([], inCompany({ looks: [looked(['a', 'b'])] }))],
    [
      'with an entry that lingers as long as it may',
      seeing([], inCompany({ stays: [annOf(0), bobOf(0, 9)], looks: [looked(['a', 'b'])] })),
    ],
    [
      'with a join, a leave, and a join again',
      seeing(
        [],
        inCompany({ notices: [told('join', 'a'), told('join', 'b'), told('leave', 'b'), told('join', 'b')] }),
      ),
    ],
    ['with rows in the order of their commits', outbox(inOrder)],
    ['with a dead row', outbox([streamed(1), streamed(3)], { dead: [died] })],
    [
      'with a row that is in the stream before a restart and in the one after it',
      outbox([...inOrder, streamed(3, 'f', 5)]),
    ],
    ['with a row that died after its stream', outbox([...inOrder, streamed(3, 'f', 5)], { dead: [died] })],
    ['with a row that may have been published', outbox(inOrder, { dead: [{ ...died, code: 'uncertain' }] })],
    [
      'with workers that publish within their leases, whatever else they do later',
      outbox(inOrder, { leases: [at(1), at(30)], requests: [at(2), at(25), at(31)] }),
    ],
    ['with a message that was sent', pushing({ attempts: [tried(1, 'sent')], answers: [answered(1, 201)] })],
    [
      'with a message that is tried again after the time that was asked for',
      pushing({ attempts: [busy, tried(5, 'sent')], answers: [wait, answered(5, 201)] }),
    ],
    [
      'with a message whose answer was lost',
      pushing({
        attempts: [tried(1, 'transient'), tried(3, 'sent')],
        answers: [answered(1, 201, { isLost: true }), answered(3, 201)],
      }),
    ],
    ['with a recipient that is gone', pushing({ attempts: [tried(1, 'gone')], answers: [answered(1, 410)] })],
    [
      'with a message that is parked',
      pushing({
        attempts: [tried(1, 'terminal', { status: 400 })],
        answers: [answered(1, 400)],
        letters: [{ row: 1, lastError: 'push service returned 400 Bad Request' }],
      }),
    ],
    ['with a row that was claimed twice and sent twice', pushing({ ...again201, claims: new Map([[1, 2]]) })],
    [
      'with an older row of a transaction that was committed later',
      outbox([streamed(2), streamed(1), streamed(3)], {
        committed: [committed(2, 1), committed(1, 2), committed(3)],
      }),
    ],
  ])('%s', (_, observations) => {
    expect(found(observations)).toEqual([]);
  });
});

describe('an oracle bites', () => {
  it.each<[string, Observations]>([
    ['O1', seeing([subscribed(0), got(1), got(3)])],
    ['O1', seeing([got(2)])],
    ['O2', seeing([subscribed(0), got(1), got(2), got(2)])],
    ['O3', seeing([subscribed(0), got(1, 'text 2 of e')])],
    ['O3', seeing([subscribed(0), ...all, got(11)])],
    ['O5', seeing([subscribed(0), got(1), subscribed(8, again)])],
    ['O5', seeing([subscribed(0), ...all.slice(0, 9), subscribed(100, again)])],
    ['O5', seeing([subscribed(0), got(1), subscribed(2, { ...again, epoch: 'f' })])],
    ['O5', seeing([subscribed(0, again)])],
    ['O6', seeing([subscribed(0), got(1), got(2), subscribed(6, { ...lost, offset: 6 })])],
    ['O8', seeing([subscribed(0), got(1), subscribed(0, { client: 'bob' }), got(1, 'other', 'bob')])],
    ['O9', seeing([], { published: [published(1), published(1)] })],
    ['O9', seeing([], { published: [published(1), published(3)] })],
    ['O9', seeing([], { answers: [{ ...published(2), text: 'another' }] })],
    ['O9', seeing([], { answers: [published(11)] })],
    ['O11', seeing([subscribed(0)], { ends: [ended] })],
    ['O11', seeing([subscribed(3)], { ends: [ended], losses: [lossAt(2)] })],
    ['O11', seeing([subscribed(0)], { ends: [ended], losses: [{ ...lossAt(2), channel: 'public:sim.c1' }] })],
    ['O12', caching([subscribed(0), got(1), subscribed(8, again), got(7)])],
    ['O12', caching([subscribed(0), got(1), subscribed(8, again)])],
    ['O12', caching([subscribed(0), got(1), subscribed(100, again)])],
    ['O12', caching([subscribed(0, { ...again, epoch: 'f' })])],
    ['O12', caching([subscribed(8, { offset: 8 }), got(9)])],
    [
      'O10',
      seeing([], {
        published: [published(1), { ...published(2), text: 'text 1 of e' }],
        isPublishedOnce: true,
        wipedAtUs: [2 * SECOND],
      }),
    ],
    ['O12', caching([subscribed(0), got(1), subscribed(8, { ...lost, offset: 8 }), got(9)])],
    ['O1', caching([subscribed(0), got(1), subscribed(8, again), got(8), got(10)])],
    ['O2', caching([subscribed(0), got(1), got(1)])],
    ['O14', unpositioned([live, ...all], { isExcluded: text => text.includes('text 7 ') })],
    ['O15', unpositioned([live, got(1), got(1), ...all.slice(1)])],
    ['O15', unpositioned(comesBack(got(9)), { heardUs: () => 9 * SECOND })],
    ['O15', unpositioned([...comesBack(got(9)), got(9)], { heardUs: () => 11 * SECOND })],
    ['O15', unpositioned([live, ...all, got(9)], { heardUs: () => 11 * SECOND })],
    ['O15', unpositioned([live, got(2), got(1), ...all.slice(2)])],
    ['O15', unpositioned([live, ...all.slice(0, 9), got(10, 'text 11 of e')])],
    ['O15', unpositioned([live, got(1), got(2), got(1), ...all.slice(2)], { doubled: [lossAt(1)] })],
    ['O23', seeing([], inCompany({ looks: [looked(['a'])] }))],
    ['O23', seeing([], inCompany({ looks: [looked(['a', 'b', 'c'])] }))],
    ['O23', seeing([], inCompany({ stays: [annOf(0), bobOf(0, 3)], looks: [looked(['a', 'b'])] }))],
    ['O23', seeing([], inCompany({ looks: [looked(['a', 'b'], 3)] }))],
    ['O23', seeing([], inCompany({ looks: [looked(undefined)] }))],
    ['O24', seeing([], inCompany({ notices: [told('join', 'a'), told('join', 'b'), told('join', 'b')] }))],
    ['O24', seeing([], inCompany({ notices: [told('join', 'a'), told('join', 'b'), told('leave', 'b')] }))],
    ['O24', seeing([], inCompany({ notices: [told('join', 'a'), told('join', 'c')] }))],
    ['O24', seeing([], inCompany({ notices: [told('join', 'b')] }))],
    [
      'O24',
      seeing([], {
        ...inCompany({ stays: [annOf(0), bobOf(0, 200)], notices: [told('leave', 'b', 100)] }, false),
        endUs: 300 * SECOND,
      }),
    ],
    ['O29', seeing([], { losses: [lossAt(9)], hearsFromUs: 9 * SECOND })],
    ['O29', unpositioned([live, ...all.slice(0, 9)])],
    ['O29', unpositioned([live, ...all.slice(0, 9)], { losses: [lossAt(9)] })],
    ['O29', seeing([subscribed(0)], { rests: [rest], wipedAtUs: [1] })],
    ['O29', seeing([subscribed(0), ...all], { rests: [{ ...rest, isSubscribed: false }] })],
    ['O29', seeing([subscribed(0), got(1)], { rests: [rest] })],
    [
      'O29',
      seeing([subscribed(0), ...all], { rests: [rest], published: [published(1, 'e'), published(1, 'f')] }),
    ],
    ['O29', seeing([], { rests: [rest] })],
    ['O29', seeing([], { rests: [{ ...rest, isSubscribed: false, staleAfterUs: 14 * SECOND }] })],
    ['O38', seeing([], stopped(3502, 14))],
    ['O38', seeing([], stopped(3501, 20))],
    ['O41', outbox([streamed(1), streamed(2)])],
    ['O41', outbox([streamed(1), streamed(2)], { waiting: [3] })],
    ['O41', outbox([...inOrder, streamed(3)])],
    ['O41', outbox([...inOrder, streamed(4)])],
    ['O41', outbox(inOrder, { dead: [died] })],
    ['O42', outbox([streamed(2), streamed(1), streamed(3)])],
    ['O1', seeing([subscribed(0), got(1), got(3)], { isExcluded: text => text.includes('text 3 ') })],
    [
      'O29',
      seeing([subscribed(0), ...all.slice(0, 8)], {
        isExcluded: text => text.includes('text 10 '),
        rests: [rest],
      }),
    ],
    ['O44', outbox(inOrder, { leases: [at(1)], requests: [at(11)] })],
    ['O45', seeing([], { published: [published(1), published(2, 'f')], wipedAtUs: [] })],
    ['O45', seeing([], { published: [published(1), published(2, 'f')], wipedAtUs: [3 * SECOND] })],
    ['E1', afterFailOver([...all.slice(0, 3), givenAgain])],
    ['O43', pushing(again201)],
    [
      'O43',
      pushing({
        attempts: [tried(1, 'sent'), tried(2, 'sent')],
        answers: [answered(1, 201), answered(2, 201)],
      }),
    ],
    ['O43', pushing({ attempts: [tried(1, 'sent')] })],
    ['O43', pushing({ attempts: [tried(1, 'terminal', { status: 410 })], answers: [answered(1, 410)] })],
    ['O43', pushing({ letters: [{ row: 1, lastError: 'push service returned 410 Gone' }] })],
    ['O43', pushing({ attempts: [busy, tried(2, 'sent')], answers: [wait, answered(2, 201)] })],
    ['O43', pushing({ faults: ['a message whose headers are not right'] })],
    [
      'O42',
      outbox([streamed(1), streamed(3), streamed(2)], {
        committed: [committed(1), committed(2), committed(3, 2)],
      }),
    ],
  ])('%s', (oracle, observations) => {
    expect(found(observations)).toContain(oracle);
  });

  it('of a lost tail who was told, or whom nobody could tell, is not the matter of E1: the exception is counted', () => {
    const told = [...all.slice(0, 3), subscribed(6, { ...lost, offset: 4 })];
    expect(found(afterFailOver(told))).toEqual([]);
    expect(excusedLostTails(afterFailOver(told, false))).toEqual([]);
    const untold = afterFailOver([...all.slice(0, 3), givenAgain], false);
    expect(found(untold)).toEqual([]);
    expect(excusedLostTails(untold)).toHaveLength(1);
  });

  it('what was lost and got its place again is not the matter of E1', () => {
    const untold = afterFailOver([...all.slice(0, 3), givenAgain]);
    const again = { ...published(3), atUs: 4 * SECOND, line: 1 };
    expect(found({ ...untold, published: [...untold.published, again] })).not.toContain('E1');
  });

  it('counts what a node that is behind brings again', () => {
    const behind = unpositioned(comesBack(got(8), got(9)), { heardUs: () => 11 * SECOND });
    expect(excusedRepeats(behind)).toBe(2);
    expect(excusedRepeats(unpositioned([live, ...all]))).toBe(0);
  });

  it('of each there is a case', () => {
    expect(ORACLES.map(({ id }) => id)).toEqual([
      'O1',
      'O2',
      'O3',
      'O5',
      'O6',
      'O8',
      'O9',
      'O10',
      'O11',
      'O12',
      'O14',
      'O15',
      'O19',
      'O20',
      'O21',
      'O23',
      'O24',
      'O27',
      'O29',
      'O38',
      'O41',
      'O42',
      'O43',
      'O44',
      'O45',
      'E1',
    ]);
  });
});
