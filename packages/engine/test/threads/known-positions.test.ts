import { ManualClock } from '@msg/foundation/clock/testing';
import { Payload } from '@msg/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { KnownPositions } from '#src/broker/threads/known-positions.ts';
import { LINK_SIZES, ThreadsInOne } from './thread-subjects.ts';

const HOUR_MS = 3_600_000;
const STREAM = { size: 5, ttlMs: HOUR_MS, metaTtlMs: HOUR_MS };
const at = (offset: number, epoch = 'a') => ({ offset, epoch });

describe('the positions that a thread knows', () => {
  let clock: ManualClock;
  let positions: KnownPositions;

  beforeEach(() => {
    clock = new ManualClock();
    positions = new KnownPositions(clock);
  });

  it('begin with a read, and follow what arrives', () => {
    positions.arrived('c', at(1));
    expect(positions.get('c')).toBeNull();
    const answered = positions.reading('c', HOUR_MS);
    expect(positions.get('c')).toBeNull();
    answered(at(1));
    expect(positions.get('c')).toEqual(at(1));
    positions.arrived('c', at(2));
    expect(positions.get('c')).toEqual(at(2));
    positions.arrived('c', at(1, 'b'));
    expect(positions.get('c')).toEqual(at(1, 'b'));
  });

  it.each([
    ['later than the answer', at(6), at(5), at(6)],
    ['before the answer', at(5), at(6), at(6)],
    ['of another stream', at(1, 'b'), at(5), null],
  ])('what arrives during a read is %s', (_, arrived, answer, expected) => {
    const answered = positions.reading('c', HOUR_MS);
    positions.arrived('c', arrived);
    answered(answer);
    expect(positions.get('c')).toEqual(expected);
  });

  it('a read takes the place of what was known before it', () => {
    positions.reading('c', HOUR_MS)(at(9));
    positions.reading('c', HOUR_MS)(at(0, 'b'));
    expect(positions.get('c')).toEqual(at(0, 'b'));
  });

  it.each([
    [HOUR_MS, 1000],
    [8000, 500],
  ])('with a life of %i ms a read is fresh for %i ms from when it was asked', async (lifeMs, freshMs) => {
    const answered = positions.reading('c', lifeMs);
    await clock.advance(freshMs - 1);
    answered(at(1));
    expect(positions.get('c')).toEqual(at(1));
    await clock.advance(1);
    expect(positions.get('c')).toBeNull();
  });

  it('are forgotten, also by a read that is under way', () => {
    const answered = positions.reading('c', HOUR_MS);
    positions.forget('c');
    answered(at(1));
    expect(positions.get('c')).toBeNull();
    const again = positions.reading('c', HOUR_MS);
    positions.forgetAll();
    again(at(1));
    expect(positions.get('c')).toBeNull();
    positions.reading('c', HOUR_MS)(at(1));
    positions.reading('c', HOUR_MS)(null);
    expect(positions.get('c')).toBeNull();
  });

  it('are those of 10,000 channels at most: the oldest one goes', () => {
    for (let n = 0; n <= 10_000; n++) positions.reading(`c${n}`, HOUR_MS)(at(n));
    expect(positions.get('c0')).toBeNull();
    expect(positions.get('c1')).toEqual(at(1));
    expect(positions.get('c10000')).toEqual(at(10_000));
  });
});

describe.each(LINK_SIZES)('a position that a thread has at hand: %s', (_, sizes) => {
  const X = new Payload(Buffer.from('x'));

  it('knows whatever was answered on another thread, though nothing has arrived yet', async () => {
    const process = await new ThreadsInOne(sizes).start();
    const { broker, events } = await process.thread(1);
    const main = process.host.backends.broker;
    await broker.subscribe('c');
    const { epoch } = await broker.history('c', { limit: 0 }, HOUR_MS);
    for (let offset = 1; offset <= 20; offset++) {
      await main.publish('c', X, STREAM, {});
      expect(broker.position?.('c')).toEqual({ offset, epoch });
      expect(events.publications).toHaveLength(offset);
    }
    await main.removeStream('c');
    expect(broker.position?.('c')).toBeNull();
    await process.stop();
    expect(process.errors).toEqual([]);
  });

  it('is not asked for from within an event, nor of a channel that the thread left', async () => {
    const process = await new ThreadsInOne(sizes).start();
    const { broker, events } = await process.thread(1);
    await broker.subscribe('c');
    await broker.history('c', { limit: 0 }, HOUR_MS);
    const within: unknown[] = [];
    events.publication = () => void within.push(broker.position?.('c'));
    await broker.publish('c', X, STREAM, {});
    expect(within).toEqual([null]);
    expect(broker.position?.('c')?.offset).toBe(1);
    await broker.unsubscribe('c');
    expect(broker.position?.('c')).toBeNull();
    await process.stop();
  });
});
