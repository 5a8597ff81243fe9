import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { HubChannel, type Subscriber } from '#src/delivery/hub-channel.ts';
import { PositionChecker } from '#src/delivery/position-check.ts';
import { DEFAULT_LIMITS } from '#src/limits.ts';
import { settled } from '../session/parts.ts';

const { positionCheckMs, positionRecheckMs } = DEFAULT_LIMITS;
const EPOCH = 'e';

/** A live subscriber at an offset. */
function subscriberAt(offset: number, positioned = true) {
  const subscriber = {
    offset,
    positioned,
    lost: 0,
    live: true,
    isBehind: (top: number, epoch: string) =>
      subscriber.live && positioned && (subscriber.offset !== top || epoch !== EPOCH),
    onContinuityLost: () => void subscriber.lost++,
  };
  return subscriber;
}

function start(...subscribers: ReturnType<typeof subscriberAt>[]) {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  /** The end of the stream, and how often it was read. */
  const stream = { offset: 5, epoch: EPOCH, reads: 0, failure: null as Error | null };
  const history = async () => {
    stream.reads++;
    if (stream.failure !== null) throw stream.failure;
    return { ...stream, publications: [] };
  };
  /** Asked renewals: channel and epoch. */
  const renewed: string[][] = [];
  /** What happens during a renewal. */
  const during = { renewal: async () => {} };
  const renewEpoch = (...asked: string[]) => {
    renewed.push(asked);
    return during.renewal();
  };
  const context = {
    clock,
    broker: { history, renewEpoch },
    limits: DEFAULT_LIMITS,
    policy: {},
    reportError: (error: unknown) => void errors.push(error),
  } as unknown as ConstructorParameters<typeof PositionChecker>[0];
  const channel = new HubChannel('c', 1);
  channel.subscribers.push(...(subscribers as unknown as Subscriber[]));
  return { checker: new PositionChecker(context), channel, clock, stream, errors, renewed, during };
}

describe('the check of positions', () => {
  it('finds those that stay behind the end of the stream, and no others', async () => {
    const [atTop, behind, free] = [subscriberAt(5), subscriberAt(4), subscriberAt(0, false)];
    const { checker, channel, clock, stream } = start(atTop, behind, free);
    checker.checkIfQuiet(channel);
    await settled();
    expect(behind.lost).toBe(0);
    await clock.advance(positionRecheckMs);
    expect([atTop.lost, behind.lost, free.lost]).toEqual([0, 1, 0]);
    expect(stream.reads).toBe(2);
    expect(channel.verifiedAt).toBe(clock.monotonic());
  });

  it('leaves out those that a publication reaches meanwhile', async () => {
    const late = subscriberAt(4);
    const { checker, channel, clock } = start(late);
    checker.checkIfQuiet(channel);
    await settled();
    late.offset = 5;
    await clock.advance(positionRecheckMs);
    expect(late.lost).toBe(0);
  });

  it('leaves out those that lack only what was stored since the first read', async () => {
    const [caughtUp, stuck, ahead] = [subscriberAt(4), subscriberAt(4), subscriberAt(9)];
    const { checker, channel, clock, stream } = start(caughtUp, stuck, ahead);
    checker.checkIfQuiet(channel);
    await settled();
    caughtUp.offset = 5;
    stream.offset = 6; // on its way to all of them
    await clock.advance(positionRecheckMs);
    expect([caughtUp.lost, stuck.lost, ahead.lost]).toEqual([0, 1, 1]);
    // The channel was not found whole: the next tick looks again.
    checker.checkIfQuiet(channel);
    await settled();
    await clock.advance(positionRecheckMs);
    expect(caughtUp.lost).toBe(1);
  });

  it('finds another epoch', async () => {
    const subscriber = subscriberAt(5);
    const { checker, channel, clock, stream } = start(subscriber);
    stream.epoch = 'other';
    checker.checkIfQuiet(channel);
    await clock.advance(positionRecheckMs);
    expect(subscriber.lost).toBe(1);
  });

  it('asks once for a new epoch when several are ahead of the stream, and looks again at the next tick', async () => {
    const subscribers = [5, 6, 9, 4].map(offset => subscriberAt(offset)); // the first is at the top
    const { checker, channel, clock, renewed, during } = start(...subscribers);
    const lost = () => subscribers.map(subscriber => subscriber.lost);
    let before: number[] = [];
    during.renewal = async () => {
      before = lost();
    };
    checker.checkIfQuiet(channel);
    await settled();
    expect(renewed).toEqual([]); // before the second look
    await clock.advance(positionRecheckMs);
    expect(renewed).toEqual([['c', EPOCH]]);
    expect(before).toEqual([0, 0, 0, 0]); // the new epoch comes first
    expect(lost()).toEqual([0, 1, 1, 1]);
    expect(channel.verifiedAt).toBe(Number.NEGATIVE_INFINITY);
  });

  it.each([
    ['they are behind it', 4, EPOCH],
    ['it has another epoch', 9, 'other'],
  ])('asks for no new epoch of the stream when %s', async (_, offset, epoch) => {
    const subscriber = subscriberAt(offset);
    const { checker, channel, clock, stream, renewed } = start(subscriber);
    stream.epoch = epoch;
    checker.checkIfQuiet(channel);
    await clock.advance(positionRecheckMs);
    expect(subscriber.lost).toBe(1);
    expect(renewed).toEqual([]);
  });

  it('asks for none when the stream has reached them at the second look', async () => {
    const early = subscriberAt(6);
    const { checker, channel, clock, stream, renewed } = start(early);
    checker.checkIfQuiet(channel);
    await settled();
    stream.offset = 6;
    await clock.advance(positionRecheckMs);
    expect([early.lost, renewed.length]).toEqual([0, 0]);
  });

  it('reports a renewal that fails, and ends the subscriptions all the same', async () => {
    const ahead = subscriberAt(6);
    const { checker, channel, clock, errors, during } = start(ahead);
    const failure = new Error('broker');
    during.renewal = () => Promise.reject(failure);
    checker.checkIfQuiet(channel);
    await clock.advance(positionRecheckMs);
    expect([ahead.lost, errors]).toEqual([1, [failure]]);
  });

  it('leaves out those that end during a renewal', async () => {
    const [ahead, leaving] = [subscriberAt(6), subscriberAt(7)];
    const { checker, channel, clock, during } = start(ahead, leaving);
    during.renewal = async () => {
      leaving.live = false;
    };
    checker.checkIfQuiet(channel);
    await clock.advance(positionRecheckMs);
    expect([ahead.lost, leaving.lost]).toEqual([1, 0]);
  });

  it('reads once for all subscribers of a quiet channel, and not for one that was active', async () => {
    const { checker, channel, clock, stream } = start(subscriberAt(5), subscriberAt(5));
    checker.checkIfQuiet(channel);
    checker.checkIfQuiet(channel);
    await settled();
    expect(stream.reads).toBe(1);
    expect(channel.verifiedAt).toBe(clock.monotonic());
    await clock.advance(positionCheckMs - 1);
    checker.checkIfQuiet(channel);
    await settled();
    expect(stream.reads).toBe(1);
    await clock.advance(1);
    checker.checkIfQuiet(channel);
    await settled();
    expect(stream.reads).toBe(2);
  });

  it('after a loss is spread over a second, and skips channels without positions', async () => {
    const { checker, channel, clock, stream } = start(subscriberAt(5));
    checker.checkSoon(channel, 0.5);
    await clock.advance(499);
    expect(stream.reads).toBe(0);
    await clock.advance(1);
    expect(stream.reads).toBe(1);
    const free = start(subscriberAt(0, false));
    free.checker.checkSoon(free.channel, 0);
    expect(free.clock.pending).toBe(0);
  });

  it('reports a broker that fails, and checks again', async () => {
    const { checker, channel, stream, errors } = start(subscriberAt(5));
    stream.failure = new Error('broker');
    checker.checkIfQuiet(channel);
    await settled();
    expect(errors).toEqual([stream.failure]);
    stream.failure = null;
    checker.checkIfQuiet(channel);
    await settled();
    expect(stream.reads).toBe(2);
  });

  it('leaves no timer when the node stops', async () => {
    const behind = subscriberAt(4);
    const { checker, channel, clock } = start(behind);
    checker.checkSoon(channel, 1);
    checker.checkIfQuiet(channel);
    await settled();
    expect(clock.pending).toBe(2);
    checker.stop();
    expect(clock.pending).toBe(0);
  });
});
