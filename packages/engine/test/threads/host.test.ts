import {
  AppendRefused,
  type Broker,
  type BrokerEvents,
  Disconnect,
  MemoryBroker,
  MemoryPresence,
  ReplyError,
  TimerWheel,
} from '@msg/engine';
import { type ErrorRow, LinkRequestFailed, threadHost } from '@msg/engine/threads';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { type ClientInfo, Payload } from '@msg/protocol';
import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { ThreadsInOne } from './thread-subjects.ts';

const STREAM = { size: 100, ttlMs: 300_000 };
const payload = (text: string): Payload => new Payload(new TextEncoder().encode(text));
const client = (id: string): ClientInfo => ({ user: 'u', client: id, connInfo: null, chanInfo: null });
type Thread = Awaited<ReturnType<ThreadsInOne['thread']>>;
const texts = ({ events }: Thread): string[] =>
  events.publications.map(({ publication }) => Buffer.from(publication.data.bytes).toString());

async function twoThreads(...options: ConstructorParameters<typeof ThreadsInOne>) {
  const process = await new ThreadsInOne(...options).start();
  const [a, b] = [await process.thread(1), await process.thread(2)];
  return { process, a, b, main: process.host.backends };
}

describe('streams of a process with threads', () => {
  it('give every thread the publications of all threads and of main in one order', async () => {
    const { process, a, b, main } = await twoThreads({ downBytes: 4096, upBytes: 4096 });
    for (const { broker } of [a, b]) await broker.subscribe('c');
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        [a, b, main][n % 3]?.broker.publish('c', payload(`${n} ${'x'.repeat(n * 20)}`), STREAM, {}),
      ),
    );
    await Promise.all([a.events.arrived(60), b.events.arrived(60)]);
    expect(texts(a)).toEqual(texts(b));
    for (const { events } of [a, b])
      expect(events.publications.map(({ position }) => position.offset)).toEqual(
        Array.from({ length: 60 }, (_, n) => n + 1),
      );
    await process.stop();
  });

  it('are copied once for all readers that come while a copy is under way', async () => {
    let reads = 0;
    const clock = new ManualClock();
    const broker = new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
    const history = broker.history.bind(broker);
    broker.history = (...args) => {
      reads++;
      return history(...args);
    };
    const { process, a } = await twoThreads({}, { broker });
    for (let n = 1; n <= 3; n++) await a.broker.publish('c', payload(`${n}`), STREAM, {});
    const all = Array.from({ length: 1000 }, () => a.broker.history('c', { limit: -1 }, 1000));
    const rest = Array.from({ length: 1000 }, () =>
      a.broker.history('c', { limit: -1, since: { offset: 1, epoch: '' } }, 1000),
    );
    const offsets = async (results: readonly ReturnType<Broker['history']>[]) =>
      new Set(
        (await Promise.all(results)).map(({ publications }) => `${publications.map(one => one.offset)}`),
      );
    expect(await offsets(all)).toEqual(new Set(['1,2,3']));
    expect(await offsets(rest)).toEqual(new Set(['2,3']));
    expect(reads).toBeLessThan(5);
    await process.stop();
  });

  it("bring a publisher's own copy before the answer to its publish", async () => {
    const { process, a } = await twoThreads();
    await a.broker.subscribe('c');
    for (let n = 1; n <= 3; n++) {
      expect(await a.broker.publish('c', payload('x'), STREAM, {})).toMatchObject({ offset: n });
      expect(a.events.publications).toHaveLength(n);
    }
    await process.stop();
  });

  it('reach only threads that are subscribed, and one that unsubscribed gets nothing more', async () => {
    const { process, a, b } = await twoThreads();
    await a.broker.subscribe('c');
    await b.broker.publish('c', payload('1'), STREAM, {});
    await b.broker.subscribe('c');
    await a.broker.unsubscribe('c');
    await a.broker.publish('c', payload('2'), STREAM, {});
    await b.events.arrived(1);
    expect([texts(a), texts(b)]).toEqual([['1'], ['2']]);
    await b.broker.unsubscribe('c');
    expect(process.host.channelCount).toBe(0);
    await process.stop();
  });

  it('know an idempotency key whatever thread repeats it', async () => {
    const { process, a, b } = await twoThreads();
    const first = await a.broker.publish('c', payload('x'), STREAM, { idempotencyKey: 'k' });
    const second = await b.broker.publish('c', payload('x'), STREAM, { idempotencyKey: 'k' });
    expect(second).toEqual({ ...first, suppressed: true });
    await process.stop();
  });

  it('send a base of a patch only to threads that do not have it', async () => {
    const { process, a, b, main } = await twoThreads();
    const large = (letter: string): Payload => payload(letter.repeat(8000));
    const publish = (letter: string) => main.broker.publish('c', large(letter), STREAM, { delta: true });
    await a.broker.subscribe('c');
    await publish('a');
    await publish('b');
    await a.events.arrived(2);
    await b.broker.subscribe('c');
    const before = [a, b].map(({ attached }) => attached.waitingBytes);
    await publish('c');
    const [toA = 0, toB = 0] = [a, b].map(({ attached }, n) => attached.waitingBytes - (before[n] ?? 0));
    expect(toA).toBeLessThan(9000);
    expect(toB).toBeGreaterThan(16_000);
    await publish('d');
    await Promise.all([a.events.arrived(4), b.events.arrived(2)]);
    const bases = ({ events }: Thread) =>
      events.publications.map(({ previous }) => previous && Buffer.from(previous.data.bytes).toString()[0]);
    expect([bases(a), bases(b)]).toEqual([
      [null, 'a', 'b', 'c'],
      ['b', 'c'],
    ]);
    await process.stop();
  });

  it('tell a thread that did not read which channels it missed, and cost nobody else anything', async () => {
    const { process, a, b, main } = await twoThreads({ downBytes: 4096, downSpillBytes: 100_000 });
    for (const { broker } of [a, b]) await broker.subscribe('c');
    await a.broker.subscribe('other');
    await a.broker.unsubscribe('other');
    // Neither thread reads while main's loop does not turn; then both do.
    for (let n = 0; n < 300; n++) await main.broker.publish('c', payload('x'.repeat(1000)), STREAM, {});
    const { publications, gaps } = a.attached.dropped();
    expect([publications > 100, gaps]).toEqual([true, 0]);
    await eventually('both were told', () => a.restored.length === 1 && b.restored.length === 1);
    expect(a.restored).toEqual([['c']]);
    expect(a.events.publications.length).toBe(300 - publications);
    expect(a.attached.dropped().gaps).toBe(1);
    const { offset } = await a.broker.publish('c', payload('y'), STREAM, {});
    await a.events.arrived(301 - publications);
    expect([offset, a.events.publications.at(-1)?.position.offset]).toEqual([301, 301]);
    await process.stop();
  });

  it("report lost messages of main's broker to every thread", async () => {
    const clock = new ManualClock();
    const broker = new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
    const { promise: started, resolve } = Promise.withResolvers<BrokerEvents>();
    broker.start = async events => resolve(events);
    const process = await new ThreadsInOne({}, { broker }).start();
    const [a, b] = [await process.thread(1), await process.thread(2)];
    const events = await started;
    events.restored?.(['c']);
    events.restored?.();
    await eventually('both threads were told', () => a.restored.length + b.restored.length === 4);
    expect([a.restored, b.restored]).toEqual([
      [['c'], undefined],
      [['c'], undefined],
    ]);
    await process.stop();
  });

  it('give a growing message to a thread as what was added', async () => {
    const { process, a, b } = await twoThreads();
    const stream = { ...STREAM, append: { maxBytes: 200_000, orphanMs: 60_000 } };
    const text = (value: string) => ({ kind: 'text', bytes: new TextEncoder().encode(value) }) as const;
    const message = { message: 'm', producer: 'p' };
    await a.broker.subscribe('c');
    await b.broker.appends?.append('c', { ...message, seq: 1, ops: [text('x'.repeat(30_000))] }, stream);
    await a.events.appendedCount(1);
    const before = a.attached.waitingBytes;
    await b.broker.appends?.append('c', { ...message, seq: 2, ops: [text('more')] }, stream);
    expect(a.attached.waitingBytes - before).toBeLessThan(1000);
    await b.broker.subscribe('c');
    await b.broker.appends?.append('c', { ...message, seq: 3, ops: [text('!')] }, stream);
    await Promise.all([a.events.appendedCount(3), b.events.appendedCount(1)]);
    for (const { events } of [a, b]) {
      const document = JSON.parse(
        Buffer.from(events.states.at(-1)?.state.publication.data.bytes ?? []).toString(),
      );
      expect(document.text).toBe(`${'x'.repeat(30_000)}more!`);
    }
    await process.stop();
    expect(process.errors).toEqual([]);
  });
});

describe('a thread that ends', () => {
  it('leaves nothing behind: interest, presence and joins end, and what it had written counts', async () => {
    const { process, a, b, main } = await twoThreads();
    await b.broker.subscribe('c');
    await a.broker.subscribe('c');
    await a.broker.publishJoin('c', client('stays'));
    await a.broker.publishJoin('c', client('left'));
    await a.broker.publishLeave('c', client('left'));
    await a.presence.add('c', 'stays', client('stays'));
    await b.presence.add('c', 'other', client('other'));
    // The last thing it does: nothing has read it yet.
    const unanswered = Promise.resolve(a.broker.publish('c', payload('last'), STREAM, {})).catch(() => {});
    a.close();
    await a.attached.detach();
    await unanswered;
    await b.events.announcedCount(4);
    await b.events.arrived(1);
    expect(b.events.announced.map(({ kind, info }) => `${kind} ${info.client}`)).toEqual([
      'join stays',
      'join left',
      'leave left',
      'leave stays',
    ]);
    expect(texts(b)).toEqual(['last']);
    expect([...(await main.presence.get('c')).keys()]).toEqual(['other']);
    const next = await process.thread(1);
    expect([a.nodeId, next.nodeId, b.nodeId]).toEqual(['p/1.1', 'p/1.2', 'p/2.1']);
    await next.broker.subscribe('c');
    await b.broker.publish('c', payload('again'), STREAM, {});
    await next.events.arrived(1);
    await process.stop();
  });

  it.each([0, 33, 1.5, -1])('cannot have the number %d', number => {
    expect(() => threadHost().attach(number)).toThrow(RangeError);
  });

  it('has to be detached before its number is attached again', async () => {
    const { process } = await twoThreads();
    expect(() => process.host.attach(1)).toThrow('detach');
    await process.stop();
  });
});

it('further totals are those of the process, and free again when a thread ends', async () => {
  const process = await new ThreadsInOne({}, { totals: ['tapes'] }).start();
  const thread = await process.thread(1);
  const tapes = process.host.backends.bounds.further.get('tapes');
  const ofThread = thread.bounds.further.get('tapes');
  expect([tapes?.take(2, 5), ofThread?.take(3, 5), ofThread?.take(1, 5), tapes?.take(1, 5)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect([tapes?.own, tapes?.all, ofThread?.all]).toEqual([2, 5, 5]);
  await thread.attached.detach();
  expect(tapes?.take(3, 5)).toBe(true);
  await process.stop();
});

describe('errors of main', () => {
  class Busy extends Error {}
  const BUSY: ErrorRow = {
    name: 'Busy',
    pack: error => (error instanceof Busy ? { message: error.message } : null),
    unpack: ({ message }) => new Busy(String(message)),
  };

  it.each([
    [new ReplyError(105, 'already subscribed', true), { code: 105, temporary: true }],
    [new Disconnect(3005, 'stale'), { code: 3005, reason: 'stale' }],
    [
      new AppendRefused('gap', 'too late', { expected_seq: '4' }),
      { kind: 'gap', meta: { expected_seq: '4' } },
    ],
    [new Busy('soon'), {}],
  ])('reach a thread as what they are: %s', async (error, members) => {
    const { process, counts } = await failing(error);
    const told = await counts.catch((reason: unknown) => reason);
    expect(told).toBeInstanceOf(error.constructor);
    expect(told).toMatchObject({ ...members, message: error.message });
    await process.stop();
    expect(process.errors).toEqual([]);
  });

  it('reach a thread as a failure without their text when no row describes them, and main is told', async () => {
    const error = new Error('password=secret');
    const { process, counts } = await failing(error);
    const told = await counts.catch((reason: unknown) => reason);
    expect(told).toBeInstanceOf(LinkRequestFailed);
    expect(String(told)).not.toContain('secret');
    await process.stop();
    expect(process.errors).toEqual([error]);
  });

  /** A process whose presence fails, and a read of it on a thread. */
  async function failing(error: Error) {
    const presence = new MemoryPresence();
    presence.counts = () => Promise.reject(error);
    const errors = [BUSY];
    const process = await new ThreadsInOne({}, { presence, errors }).start();
    const { presence: remote } = await process.thread(1, errors);
    return { process, counts: remote.counts('c') };
  }
});
