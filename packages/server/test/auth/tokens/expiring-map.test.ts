import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { ExpiringMap } from '#src/auth/tokens/expiring-map.ts';

const HOUR = 3_600_000;

describe('an entry', () => {
  let clock: ManualClock;
  let map: ExpiringMap<string>;
  beforeEach(() => {
    clock = new ManualClock();
    map = new ExpiringMap(clock);
    map.set('a', 'x', clock.now() + HOUR);
  });

  test('is there up to its moment, and not beyond', async () => {
    await clock.advance(HOUR);
    expect(map.get('a')).toBe('x');
    await clock.advance(1);
    expect(map.get('a')).toBeUndefined();
  });

  test('outlives a wall clock that is set forward, and back again', async () => {
    clock.jump(2 * HOUR);
    await clock.advance(10 * 60_000);
    map.set('b', 'y', clock.now() + HOUR);
    clock.jump(-2 * HOUR);
    expect(map.get('a')).toBe('x');
    expect([...map.live()].map(([key]) => key)).toEqual(['a', 'b']);
  });

  test('stays while a wall clock that was set back still calls its token valid', async () => {
    await clock.advance(HOUR / 2);
    clock.jump(-HOUR);
    await clock.advance(HOUR);
    expect(map.get('a')).toBe('x');
    await clock.advance(HOUR / 2 + 1);
    expect(map.get('a')).toBeUndefined();
  });

  test('that is over goes when others come, every five minutes', async () => {
    await clock.advance(HOUR + 1);
    map.set('b', 'y', clock.now() + 1);
    expect(map.size).toBe(1);
    await clock.advance(2);
    map.set('c', 'z', clock.now() + 1);
    expect(map.size).toBe(2);
    expect([...map.live()].map(([key]) => key)).toEqual(['c']);
    await clock.advance(5 * 60_000);
    map.set('d', 'z', clock.now() + 1);
    expect(map.size).toBe(1);
  });

  test('that is extended lasts as long as the longest', async () => {
    map.extend('a', 'y', clock.now() + 1000);
    await clock.advance(HOUR);
    expect(map.get('a')).toBe('y');
    map.extend('a', 'y', clock.now() + HOUR);
    await clock.advance(HOUR);
    expect(map.get('a')).toBe('y');
  });
});
