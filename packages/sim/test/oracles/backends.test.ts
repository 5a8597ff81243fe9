import { describe, expect, it } from 'vitest';
import type { ChannelChange, LimitedCall, Redemption } from '../../src/oracles/backend-observations.ts';
import { redeemedOnce } from '../../src/oracles/o19-redeemed-once.ts';
import { keysKept } from '../../src/oracles/o20-keys-kept.ts';
import { lifecycle } from '../../src/oracles/o21-lifecycle.ts';
import { rateLimit } from '../../src/oracles/o27-rate-limit.ts';
import type { Observations } from '../../src/oracles/observations.ts';

const SECOND = 1_000_000;
const NOTHING: Observations = {
  published: [],
  seen: [],
  retention: { size: 5, ttlMs: 60_000 },
  rests: [],
  endUs: 100 * SECOND,
};

/** A token of the first session is presented for half a second. */
function presented(number: number, atS: number, outcome: Redemption['outcome']): Redemption {
  return { session: 1, number, begunUs: atS * SECOND, endedUs: (atS + 0.5) * SECOND, outcome };
}

function session(redemptions: readonly Redemption[], wipedAtS: readonly number[] = []): Observations {
  return { ...NOTHING, redemptions, wipedAtUs: wipedAtS.map(second => second * SECOND) };
}

function called(atS: number, outcome: LimitedCall['outcome'] = 'accepted'): LimitedCall {
  return { begunUs: atS * SECOND, endedUs: (atS + 0.1) * SECOND, outcome };
}

/** Two calls in ten seconds are allowed. */
function limited(calls: readonly LimitedCall[], wipedAtS: readonly number[] = []): Observations {
  const wipedAtUs = wipedAtS.map(second => second * SECOND);
  return { ...NOTHING, limited: { capacity: 2, windowUs: 10 * SECOND, calls }, wipedAtUs };
}

/** A key that was added at 1 s, and the list of a node. */
function listed(ids: readonly string[], atS: number, wipedAtS: readonly number[] = []): Observations {
  return {
    ...NOTHING,
    keys: {
      added: [{ id: 'k1', begunUs: SECOND, endedUs: 1.5 * SECOND }],
      lists: [{ ids, begunUs: atS * SECOND, endedUs: (atS + 0.1) * SECOND }],
    },
    wipedAtUs: wipedAtS.map(second => second * SECOND),
  };
}

/** The list of a node, 90 s after the start, without k1, of which this key was retired. */
function retired(id: string): Observations {
  const { keys = { added: [], lists: [] }, ...others } = listed([], 90);
  return { ...others, keys: { ...keys, retired: [id] } };
}

/** The record of a channel that closes after 20 s, in which something happened at `activeS`. */
function record(state: string, atS: number, activeS: number): ChannelChange {
  return { name: 'a', state, atMs: atS * 1000, activeMs: activeS * 1000, ttlMs: 20_000 };
}

const twice = [presented(0, 1, 'redeemed'), presented(0, 2, 'redeemed')];
const reused = [presented(0, 1, 'redeemed'), presented(0, 2, 'denied')];

describe('sessions', () => {
  it.each<[string, Observations]>([
    ['that were not looked at', NOTHING],
    ['with a token after the other', session([presented(0, 1, 'redeemed'), presented(1, 2, 'redeemed')])],
    ['that end when a token is used again', session([...reused, presented(1, 3, 'denied')])],
    [
      'whose next token was under way when one was used again',
      session([...reused, presented(1, 2, 'redeemed')]),
    ],
    ['of which one lost its answer', session([presented(0, 1, 'failed'), presented(0, 2, 'redeemed')])],
    ['of which the store has lost everything', session(twice, [1.7])],
    [
      'whose next token is denied after one without an answer',
      session([presented(0, 1, 'failed'), presented(0, 2, 'redeemed'), presented(1, 3, 'denied')]),
    ],
    [
      'whose token is not valid yet for a node with another clock',
      { ...session([...reused, presented(1, 3, 'redeemed')]), skewedFromUs: 2 * SECOND },
    ],
  ])('are in order: %s', (_, observations) => {
    expect(redeemedOnce.judge(observations)).toEqual([]);
  });

  it.each<[string, Observations]>([
    ['a token is redeemed twice', session(twice)],
    ['one goes on after a token was used again', session([...reused, presented(1, 3, 'redeemed')])],
    ['a token is denied that nobody used', session([presented(0, 1, 'redeemed'), presented(1, 2, 'denied')])],
  ])('are not: %s', (_, observations) => {
    expect(redeemedOnce.judge(observations)).toHaveLength(1);
  });
});

describe('a rate limit', () => {
  it.each<[string, Observations]>([
    ['nobody looked at', NOTHING],
    ['of which all was used', limited([called(1), called(2), called(3, 'refused'), called(12)])],
    [
      'with a call that may have taken a permit',
      limited([called(1), called(2, 'failed'), called(3, 'refused')]),
    ],
    ['that the store has lost', limited([called(1), called(2), called(4)], [3])],
    ['at the end of its window', limited([called(1), called(2), called(8)])],
  ])('is kept: %s', (_, observations) => {
    expect(rateLimit.judge(observations)).toEqual([]);
  });

  it.each<[string, Observations]>([
    ['too much is accepted', limited([called(1), called(2), called(3)])],
    ['a call is refused too early', limited([called(1), called(3, 'refused')])],
    ['a call is refused after its window', limited([called(1), called(2), called(16.5, 'refused')])],
  ])('is not: %s', (_, observations) => {
    expect(rateLimit.judge(observations)).toHaveLength(1);
  });
});

describe('signing keys', () => {
  it.each<[string, Observations]>([
    ['nobody added', NOTHING],
    ['that a node lists', listed(['k0', 'k1'], 90)],
    ['that a node may not have heard of yet', listed(['k0'], 60)],
    ['that the store has lost', listed(['k0'], 90, [2])],
    ['that was retired', retired('k1')],
    ['before the nodes hear again', { ...listed(['k0'], 90), hearsFromUs: 95 * SECOND }],
  ])('are kept: %s', (_, observations) => {
    expect(keysKept.judge(observations)).toEqual([]);
  });

  it.each<[string, Observations]>([
    ['one is missing', listed(['k0'], 90)],
    ['one is missing where another one was retired', retired('k0')],
    ['one is missing, and the store lost others before', listed(['k0'], 90, [0.5])],
  ])('are not: %s', (_, observations) => {
    expect(keysKept.judge(observations)).toHaveLength(1);
  });
});

describe('a channel', () => {
  const opened = record('open', 1, 1);

  it.each<[string, readonly ChannelChange[]]>([
    ['that stays open', [opened, record('open', 15, 15)]],
    ['that closes when its time is over', [opened, record('closed', 21.5, 1)]],
    ['that closes a little early, by the estimate of a node', [opened, record('closed', 18, 1)]],
    [
      'that is opened again',
      [opened, record('closed', 22, 1), record('open', 30, 30), record('closed', 51, 30)],
    ],
    ['that is deleted while it is busy', [opened, record('deleted', 2, 1)]],
  ])('lives as it should: %s', (_, changes) => {
    expect(lifecycle.judge({ ...NOTHING, changes })).toEqual([]);
  });

  it.each<[string, readonly ChannelChange[]]>([
    ['it closes twice', [opened, record('closed', 22, 1), record('closed', 23, 1)]],
    ['it closes although something happened', [opened, record('open', 15, 15), record('closed', 22, 15)]],
  ])('does not: %s', (_, changes) => {
    expect(lifecycle.judge({ ...NOTHING, changes })).toHaveLength(1);
  });
});
