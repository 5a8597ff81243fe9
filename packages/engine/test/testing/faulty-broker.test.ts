import { MemoryBroker, TimerWheel } from '@msg/engine';
import { FaultyBroker } from '@msg/engine/testing';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { Payload } from '@msg/protocol';
import { beforeEach, describe, expect, it } from 'vitest';

const CHANNEL = 'news';
const STREAM = { size: 10, ttlMs: 60_000 };
const META_TTL_MS = 3_600_000;

let broker: FaultyBroker;
/** Text of the publications that reached the node. */
let arrived: string[];

beforeEach(async () => {
  const clock = new ManualClock();
  broker = new FaultyBroker(new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) }));
  arrived = [];
  await broker.start({
    publication: (_channel, publication) => arrived.push(Buffer.from(publication.data.bytes).toString()),
    appended: () => {},
    join: () => {},
    leave: () => {},
  });
});

const publish = (text: string, channel = CHANNEL) =>
  broker.publish(channel, new Payload(Buffer.from(text)), STREAM, {});
const history = (channel = CHANNEL) => broker.history(channel, { limit: -1 }, META_TTL_MS);

/** Settles the microtasks and answers what became of the promise. */
async function outcome(promise: Promise<unknown>): Promise<'waiting' | 'done' | 'failed'> {
  let state: 'waiting' | 'done' | 'failed' = 'waiting';
  promise.then(
    () => {
      state = 'done';
    },
    () => {
      state = 'failed';
    },
  );
  await new Promise(resolve => setImmediate(resolve));
  return state;
}

describe('a faulty broker', () => {
  it('behaves like the broker it wraps while nothing is switched on', async () => {
    await broker.subscribe(CHANNEL);
    expect(await publish('a')).toMatchObject({ offset: 1, suppressed: false });
    expect(arrived).toEqual(['a']);
    expect(await history()).toMatchObject({ offset: 1, publications: [{ offset: 1 }] });
    await broker.unsubscribe(CHANNEL);
    await broker.stop();
  });

  it('delays a read before it happens, so it sees what was published meanwhile', async () => {
    const gate = broker.delay('history');
    const read = history();
    expect(await outcome(read)).toBe('waiting');
    await publish('a');
    gate.open();
    expect(await read).toMatchObject({ offset: 1 });
  });

  it('delays the answer of a read that has happened already', async () => {
    const gate = broker.delay('history', { moment: 'after' });
    const read = history();
    expect(await outcome(read)).toBe('waiting');
    await publish('a');
    expect(gate.waiting).toBe(1);
    gate.open();
    expect(await read).toMatchObject({ offset: 0 });
  });

  it('delays as many calls as it was told, of one channel only', async () => {
    const gate = broker.delay('history', { channel: CHANNEL, times: 2 });
    const reads = [history(), history('other'), history(), history()];
    expect(await Promise.all(reads.map(outcome))).toEqual(['waiting', 'done', 'waiting', 'done']);
    expect(gate).toMatchObject({ hits: 2, waiting: 2 });
    gate.open();
  });

  it('lets waiting calls go on one by one, oldest first', async () => {
    const gate = broker.delay('publish');
    const publishes = [publish('a'), publish('b'), publish('c')];
    gate.pass();
    expect(await Promise.all(publishes.map(outcome))).toEqual(['done', 'waiting', 'waiting']);
    gate.pass(2);
    expect(await Promise.all(publishes.map(outcome))).toEqual(['done', 'done', 'done']);
    expect(arrived).toEqual(['a', 'b', 'c']);
    expect(await outcome(publish('d'))).toBe('waiting');
    gate.open();
  });

  it('lets a call wait no longer once its gate was ended', async () => {
    const gate = broker.delay('subscribe');
    gate.end();
    expect(await outcome(broker.subscribe(CHANNEL))).toBe('done');
  });

  it('fails an operation without effect', async () => {
    const fault = broker.fail('publish');
    await expect(publish('a')).rejects.toThrow('broker failed');
    expect(fault.hits).toBe(1);
    expect(await publish('b')).toMatchObject({ offset: 1 });
    expect(arrived).toEqual(['b']);
  });

  it('fails an operation that had its effect', async () => {
    broker.fail('publish', { moment: 'after' }, new Error('connection lost'));
    await expect(publish('a')).rejects.toThrow('connection lost');
    expect(await history()).toMatchObject({ offset: 1 });
    expect(arrived).toEqual(['a']);
  });

  it('applies several faults to one call, the first one outermost', async () => {
    const gate = broker.delay('history');
    broker.fail('history');
    const read = history();
    expect(await outcome(read)).toBe('waiting');
    gate.open();
    await expect(read).rejects.toThrow('broker failed');
  });

  it('holds no call at an open gate that was on the way to it', async () => {
    const last = broker.delay('history', { moment: 'after' });
    const first = broker.delay('history');
    const read = history();
    last.open();
    expect(await outcome(read)).toBe('waiting');
    first.open();
    expect(await outcome(read)).toBe('done');
  });

  it('loses a publication on its way to the node and keeps it in the history', async () => {
    broker.dropPublications({ channel: CHANNEL });
    await publish('a');
    await publish('b');
    expect(arrived).toEqual(['b']);
    expect(await history()).toMatchObject({ publications: [{ offset: 1 }, { offset: 2 }] });
    expect(broker.dropped).toBe(1);
  });

  it('holds publications back and hands them on in their order', async () => {
    const gate = broker.holdPublications(CHANNEL);
    await publish('a');
    await publish('elsewhere', 'other');
    await publish('b');
    expect(arrived).toEqual(['elsewhere']);
    expect(gate.waiting).toBe(2);
    gate.pass();
    expect(arrived).toEqual(['elsewhere', 'a']);
    await publish('c');
    gate.end();
    await publish('d');
    expect(arrived).toEqual(['elsewhere', 'a', 'b', 'c', 'd']);
  });

  it('keeps the order when the arrival of a held publication causes another', async () => {
    const clock = new ManualClock();
    const inner = new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
    broker = new FaultyBroker(inner);
    await broker.start({
      publication: (_channel, { offset }) => {
        arrived.push(String(offset));
        if (offset === 1) void publish('effect');
      },
      appended: () => {},
      join: () => {},
      leave: () => {},
    });
    const gate = broker.holdPublications();
    await publish('a');
    await publish('b');
    gate.open();
    expect(arrived).toEqual(['1', '2', '3']);
  });

  it('loses the oldest of the publications that it holds', async () => {
    const gate = broker.holdPublications();
    for (const text of ['a', 'b', 'c']) await publish(text);
    gate.drop(2);
    gate.open();
    expect(arrived).toEqual(['c']);
    expect(broker.dropped).toBe(2);
  });

  it('starts a new epoch on demand', async () => {
    const { epoch } = await publish('a');
    await broker.changeEpoch(CHANNEL);
    const renewed = await history();
    expect(renewed).toMatchObject({ offset: 0, publications: [] });
    expect(renewed.epoch).not.toBe(epoch);
  });

  it('trims the history and keeps the position', async () => {
    const { epoch } = await publish('a');
    await broker.trimHistory(CHANNEL);
    expect(await history()).toEqual({ offset: 1, epoch, publications: [] });
  });
});
