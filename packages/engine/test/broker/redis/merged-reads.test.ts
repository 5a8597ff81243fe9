import { systemClock } from '@msg/foundation/clock';
import { Payload } from '@msg/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HistoryFilter, HistoryResult } from '#src/broker/contract.ts';
import { MergedReads } from '#src/broker/merged-reads.ts';
import { newPublication } from '#src/stream/publication.ts';
import { Stream } from '#src/stream/stream.ts';

/** A stream that is read like a store: answers come when the test says so. */
class SlowStore {
  readonly stream = new Stream('e');
  reads = 0;
  itemsRead = 0;
  #waiting: (() => void)[] = [];

  constructor(top: number, size: number) {
    for (let i = 0; i < top; i++) this.publish(size);
  }

  publish(size: number): void {
    this.stream.append(newPublication(new Payload(new Uint8Array()), this.stream.top + 1, {}, 0), size);
  }

  readonly read = (filter: HistoryFilter): Promise<HistoryResult> => {
    this.reads++;
    return new Promise(resolve => {
      this.#waiting.push(() => {
        const publications = this.stream.read(filter);
        this.itemsRead += publications.length;
        resolve({ publications, offset: this.stream.top, epoch: 'e' });
      });
    });
  };

  /** Answers until nobody asks any more. */
  async answerAll(): Promise<void> {
    for (let idle = 0; idle < 5; idle++) {
      await new Promise(resolve => setImmediate(resolve));
      const waiting = this.#waiting;
      this.#waiting = [];
      if (waiting.length > 0) idle = -1;
      for (const answer of waiting) answer();
    }
  }
}

const FILTER: fc.Arbitrary<HistoryFilter> = fc
  .record({
    offset: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined }),
    limit: fc.oneof(fc.constant(-1), fc.integer({ min: 1, max: 60 })),
    reverse: fc.boolean(),
  })
  .map(({ offset, limit, reverse }) =>
    offset === undefined ? { limit, reverse } : { limit, reverse, since: { offset, epoch: '' } },
  );

const offsetsOf = ({ publications }: HistoryResult): number[] => publications.map(({ offset }) => offset);

describe('merged reads', () => {
  it('answer what each reader asked for, whatever others ask at the same time', async () => {
    const asked = fc.array(FILTER, { minLength: 1, maxLength: 30 });
    const window = fc.record({ top: fc.nat(100), size: fc.integer({ min: 1, max: 100 }) });
    await fc.assert(
      fc.asyncProperty(window, asked, async ({ top, size }, filters) => {
        const store = new SlowStore(top, size);
        const reads = new MergedReads(systemClock);
        const answers = filters.map(filter => reads.run('s', filter, store.read));
        await store.answerAll();
        for (const [i, answer] of (await Promise.all(answers)).entries()) {
          const filter = filters[i] as HistoryFilter;
          expect(offsetsOf(answer)).toEqual(
            offsetsOf({ publications: store.stream.read(filter), offset: 0, epoch: '' }),
          );
          expect(answer.offset).toBe(top);
        }
      }),
    );
  });

  it('are two for a thousand readers from different places: one under way, one for all who came meanwhile', async () => {
    const store = new SlowStore(2000, 2000);
    const reads = new MergedReads(systemClock);
    const answers = Array.from({ length: 1000 }, (_, offset) =>
      reads.run('s', { since: { offset, epoch: '' }, limit: -1 }, store.read),
    );
    await store.answerAll();
    const results = await Promise.all(answers);
    expect(results.map(result => offsetsOf(result)[0])).toEqual(results.map((_, offset) => offset + 1));
    expect(store.reads).toBe(2);
    // Pages of a long walk overlap as well.
    const pages = Array.from({ length: 1000 }, (_, offset) =>
      reads.run('s', { since: { offset, epoch: '' }, limit: 500, reverse: true }, store.read),
    );
    await store.answerAll();
    await Promise.all(pages);
    expect(store.reads).toBe(4);
  });

  it('read only what was asked for', async () => {
    const store = new SlowStore(2000, 2000);
    const reads = new MergedReads(systemClock);
    const at = (offset: number) => reads.run('s', { since: { offset, epoch: '' }, limit: 10 }, store.read);
    const answers = [at(0), at(0), at(5), at(1500), at(1990)];
    await store.answerAll();
    await Promise.all(answers);
    expect(store.itemsRead).toBe(10 + 15 + 10 + 10);
  });

  it('see what was published before they asked', async () => {
    const store = new SlowStore(5, 10);
    const reads = new MergedReads(systemClock);
    const filter = { limit: -1 };
    const before = reads.run('s', filter, store.read);
    await store.answerAll();
    store.publish(10);
    const after = [reads.run('s', filter, store.read), reads.run('s', filter, store.read)];
    await store.answerAll();
    expect((await before).publications.length).toBe(5);
    for (const result of await Promise.all(after)) expect(result.publications.length).toBe(6);
  });

  it('reject for all whom the read was for, and go on', async () => {
    const reads = new MergedReads(systemClock);
    const failing = () => Promise.reject(new Error('gone'));
    const answers = [1, 2, 3].map(() => reads.run('s', { limit: 1 }, failing));
    for (const answer of answers) await expect(answer).rejects.toThrow('gone');
    const store = new SlowStore(1, 1);
    const next = reads.run('s', { limit: 1 }, store.read);
    await store.answerAll();
    expect((await next).publications.length).toBe(1);
  });
});
