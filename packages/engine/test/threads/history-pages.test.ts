import { type HistoryFilter, type HistoryResult, MemoryBroker, TimerWheel } from '@msg/engine';
import { createLink, LinkEnd, LinkTimeout } from '@msg/engine/threads';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { Payload, type Publication } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { HistoryCursors } from '#src/broker/threads/history-cursors.ts';
import { HistoryPageReader } from '#src/broker/threads/history-pages.ts';
import { BrokerKind } from '#src/broker/threads/kinds.ts';
import { ThreadBroker } from '#src/broker/threads/thread-broker.ts';
import { newPublication } from '#src/stream/publication.ts';
import { BodyReader } from '#src/threads/link/body.ts';
import { LINK_SIZES, ThreadsInOne } from './thread-subjects.ts';

const STREAM = { size: 1000, ttlMs: 300_000 };
const META_MS = 300_000;
const PAGE_BYTES = 65_536;
const payload = (text: string): Payload => new Payload(new TextEncoder().encode(text));
const text = (value: string) => ({ kind: 'text', bytes: new TextEncoder().encode(value) }) as const;

const FILTERS: readonly HistoryFilter[] = [
  { limit: -1 },
  { limit: 40 },
  { limit: -1, reverse: true },
  { limit: 30, since: { offset: 50, epoch: '' } },
  { limit: 30, since: { offset: 50, epoch: '' }, reverse: true },
  { limit: -1, since: { offset: 100, epoch: '' } },
  { limit: -1, peek: true },
  { limit: 0 },
];

/** A result as plain values. */
function plain({ publications, offset, epoch, compacted }: HistoryResult) {
  const one = ({ offset: at, data, tags }: Publication) => [
    at,
    Buffer.from(data.bytes).toString(),
    [...tags],
  ];
  const { priors, open, following } = compacted ?? { priors: null, open: null, following: [] };
  const rest = [priors, open === null ? null : one(open), following.map(one)];
  return { publications: publications.map(one), offset, epoch, rest };
}

function memoryBroker(): { broker: MemoryBroker; clock: ManualClock } {
  const clock = new ManualClock();
  return { clock, broker: new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) }) };
}

/** A result of publications of these lengths. */
function resultOf(lengths: readonly number[]): HistoryResult {
  const publications = lengths.map((length, i) =>
    newPublication(payload('x'.repeat(length)), i + 1, {}, 1000),
  );
  return { publications, offset: lengths.length, epoch: 'e' };
}

describe.each(LINK_SIZES)('a long read of a thread, in pages: %s', (_, sizes) => {
  it.each(FILTERS)("is what main's own read is: %j", async filter => {
    const process = await new ThreadsInOne(sizes).start();
    const { broker } = await process.thread(1);
    const main = process.host.backends.broker;
    for (let n = 1; n <= 100; n++) {
      const data = payload(`${n} ${'x'.repeat(n === 60 ? 200_000 : n * 100)}`);
      await main.publish('c', data, STREAM, { tags: new Map([['n', `${n}`]]) });
    }
    const [own, read] = [
      await main.history('c', filter, META_MS),
      await broker.history('c', filter, META_MS),
    ];
    expect(plain(read)).toEqual(plain(own));
    await process.stop();
    expect([process.errors, process.clock.pending]).toEqual([[], 0]);
  });

  it('has the priors, the open message and what followed it of a channel with append streams', async () => {
    const process = await new ThreadsInOne(sizes).start();
    const { broker } = await process.thread(1);
    const main = process.host.backends.broker;
    const stream = { ...STREAM, append: { maxBytes: 200_000, orphanMs: 60_000 } };
    const fill = async (letter: string): Promise<void> => {
      for (let n = 0; n < 20; n++) await main.publish('c', payload(letter.repeat(9000)), stream, {});
    };
    await fill('a');
    const append = { message: 'm', producer: 'p', ops: [text('y'.repeat(100_000))] };
    await main.appends?.append('c', { ...append, seq: 1 }, stream);
    await fill('b');
    const own = await main.history('c', { limit: -1 }, META_MS);
    expect([own.compacted?.open?.offset, own.compacted?.following.length]).toEqual([21, 20]);
    expect(plain(await broker.history('c', { limit: -1 }, META_MS))).toEqual(plain(own));
    await process.stop();
  });

  it.each([
    ['trimmed', 100, (broker: MemoryBroker) => broker.removeHistory('c')],
    ['closed', 0, (broker: MemoryBroker) => broker.removeStream('c')],
    [
      'published into',
      2100,
      async (broker: MemoryBroker) => {
        for (let n = 0; n < 2000; n++) await broker.publish('c', payload('new'), STREAM, {});
      },
    ],
  ])('is of one moment when the stream is %s between two pages', async (_name, top, change) => {
    const { broker: memory, clock } = memoryBroker();
    const history = memory.history.bind(memory);
    const process = await new ThreadsInOne(sizes, { broker: memory, clock }).start();
    const { broker } = await process.thread(1);
    for (let n = 1; n <= 100; n++) await memory.publish('c', payload(`${n} ${'x'.repeat(9000)}`), STREAM, {});
    const before = plain(await history('c', { limit: -1 }, META_MS));
    memory.history = async (...args) => {
      const result = await history(...args);
      await change(memory);
      return result;
    };
    expect(plain(await broker.history('c', { limit: -1 }, META_MS))).toEqual(before);
    memory.history = history;
    expect((await broker.history('c', { limit: -1 }, META_MS)).offset).toBe(top);
    await process.stop();
  });
});

describe('pages of a read', () => {
  it('have 64 KiB at most, but for one publication that alone has more', () => {
    const cursors = new HistoryCursors(new ManualClock());
    const first = cursors.open(resultOf([30_000, 30_000, 30_000, 100_000, 10, ...Array(500).fill(1000)]));
    const pages = new HistoryPageReader(new BodyReader(first));
    const lengths = [first.length];
    while (!pages.isDone) {
      const page = cursors.next(pages.cursor);
      lengths.push(page.length);
      pages.add(new BodyReader(new Uint8Array(page)));
    }
    const [large = 0, ...others] = lengths.sort((a, b) => b - a);
    expect([large > 100_000, others.every(length => length <= PAGE_BYTES)]).toEqual([true, true]);
    expect(lengths.length).toBeLessThan(15);
    expect(pages.result.publications.map(({ offset }) => offset)).toEqual(
      Array.from({ length: 505 }, (_, i) => i + 1),
    );
    expect(cursors.next(pages.cursor)).toHaveLength(0);
  });

  it('are one where that is enough, and main keeps nothing of it', () => {
    const clock = new ManualClock();
    const pages = new HistoryPageReader(
      new BodyReader(new HistoryCursors(clock).open(resultOf(Array(60).fill(1000)))),
    );
    expect([pages.isDone, pages.cursor, clock.pending]).toEqual([true, 0, 0]);
  });

  it('are kept for 5 s, and until their thread ends', async () => {
    const clock = new ManualClock();
    const cursors = new HistoryCursors(clock);
    const open = () =>
      new HistoryPageReader(new BodyReader(cursors.open(resultOf(Array(9).fill(40_000))))).cursor;
    const late = open();
    await clock.advance(4999);
    expect(cursors.next(late).length).toBeGreaterThan(40_000);
    await clock.advance(1);
    expect([cursors.next(late).length, clock.pending]).toEqual([0, 0]);
    const left = open();
    cursors.close();
    expect([cursors.next(left).length, cursors.open(resultOf([1])).length, clock.pending]).toEqual([0, 0, 0]);
  });

  it('that main does not have any more end the read as one that was not answered', async () => {
    const clock = new ManualClock();
    const { main, thread } = createLink();
    const [host, end] = [new LinkEnd(main, { clock }), new LinkEnd(thread, { clock })];
    const cursors = new HistoryCursors(clock);
    host.handle(BrokerKind.history, () => cursors.open(resultOf(Array(9).fill(40_000))));
    host.handle(BrokerKind.historyPage, () => new Uint8Array(0));
    const broker = new ThreadBroker(end, { hasAppends: false, ownsStreams: true, clock });
    await expect(broker.history('c', { limit: -1 }, META_MS)).rejects.toThrow(LinkTimeout);
    cursors.close();
    for (const each of [host, end]) each.close();
  });
});
