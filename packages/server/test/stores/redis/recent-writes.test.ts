import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { RecentWrites } from '#src/stores/redis/recent-writes.ts';
import { settle } from '../../support/settle.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let clock: ManualClock;
let recent: RecentWrites;
let counts: number[];
let errors: unknown[];
let isReady: boolean;
/** What was set, with the milliseconds left. */
let sets: [name: string, leftMs: number][];

beforeEach(() => {
  clock = new ManualClock();
  [counts, errors, sets, isReady] = [[], [], [], true];
  recent = new RecentWrites({
    clock,
    isReady: () => isReady,
    onRepeated: count => counts.push(count),
    onError: error => errors.push(error),
  });
});

const mark = (name: string) => async (leftMs: number) => sets.push([name, leftMs]);
const repeated = async () => {
  sets = [];
  await recent.ready();
  return sets;
};

test('marks of the last minute are set again for what is left of their time', async () => {
  await recent.write(HOUR, mark('old'));
  await clock.advance(MINUTE);
  await recent.write(HOUR, mark('a'));
  await clock.advance(1);
  recent.keep(1000, mark('b'));
  await clock.advance(500);
  expect(await repeated()).toEqual([
    ['a', HOUR - 501],
    ['b', 500],
  ]);
  await clock.advance(500);
  expect(await repeated()).toEqual([['a', HOUR - 1001]]);
  expect([counts, errors]).toEqual([[2, 1], []]);
});

test('the minute is the one before the connection was lost, however long it is away', async () => {
  await recent.write(HOUR, mark('a'));
  await clock.advance(MINUTE - 1);
  recent.lost();
  await clock.advance(5 * MINUTE);
  recent.lost();
  expect(await repeated()).toEqual([['a', HOUR - 6 * MINUTE + 1]]);
  expect(await repeated()).toEqual([]);
});

test('a mark that the store refuses is not kept', async () => {
  await expect(recent.write(HOUR, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect([await repeated(), counts]).toEqual([[], []]);
});

describe('what cannot be set again', () => {
  let isAway: boolean;
  beforeEach(async () => {
    isAway = false;
    await recent.write(HOUR, async leftMs => {
      if (isAway) throw new Error('away');
      sets.push(['a', leftMs]);
    });
    recent.lost();
    isAway = true;
    expect([await repeated(), errors, counts]).toEqual([[], [new Error('away')], []]);
  });

  test('is tried every second, and its failure is told once', async () => {
    await clock.advance(5000);
    expect([sets, errors.length]).toEqual([[], 1]);
    isAway = false;
    await clock.advance(1000);
    await settle();
    expect([sets, errors.length, counts]).toEqual([[['a', HOUR - 6000]], 1, [1]]);
    await clock.advance(5000);
    expect(sets).toHaveLength(1);
  });

  test('is not written without a connection, but with the next one', async () => {
    [isAway, isReady] = [false, false];
    await clock.advance(2 * MINUTE);
    expect(sets).toEqual([]);
    expect(await repeated()).toEqual([['a', HOUR - 2 * MINUTE]]);
  });
});

test('a connection that comes while marks are set sets them once more', async () => {
  const held: (() => void)[] = [];
  await recent.write(HOUR, leftMs => {
    sets.push(['a', leftMs]);
    return leftMs === HOUR && sets.length === 1
      ? Promise.resolve()
      : new Promise<void>(resolve => held.push(resolve));
  });
  const first = recent.ready();
  await Promise.resolve();
  recent.lost();
  await recent.ready();
  held.shift()?.();
  await new Promise(resolve => setImmediate(resolve));
  held.shift()?.();
  await first;
  expect([sets.length, counts]).toEqual([3, [1, 1]]);
});

test('the newest ten thousand are kept', async () => {
  for (let number = 0; number < 25_000; number++) recent.keep(HOUR, mark(String(number)));
  const again = await repeated();
  expect([again.length, again[0]?.[0], again.at(-1)?.[0]]).toEqual([10_000, '15000', '24999']);
});
