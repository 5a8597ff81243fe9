import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, it } from 'vitest';
import { ChannelDirectory } from '#src/channels/directory.ts';
import type { DirectoryQuery } from '#src/channels/directory-rows.ts';
import type { ChannelRecord } from '#src/channels/record.ts';

const CHANNELS = 8000;
/** Without a common divisor with the number: every name once, in no order. */
const STRIDE = 4567;

const nameOf = (index: number): string =>
  `public:shop.n${String((index * STRIDE) % CHANNELS).padStart(6, '0')}`;

/** Counts the records whose members are read in one turn of the event loop. */
class CountedTurns {
  readonly #inTurn = new Set<string>();
  most = 0;

  begin(): void {
    this.#inTurn.clear();
  }

  record(name: string, index: number, state: 'open' | 'closed' = 'open'): ChannelRecord {
    const values = { name, visibility: 'public', state, ttlMs: 1000, createdAt: index, lastActive: -index };
    return new Proxy(values as ChannelRecord, {
      get: (record, member) => {
        this.#inTurn.add(name);
        this.most = Math.max(this.most, this.#inTurn.size);
        return Reflect.get(record, member);
      },
    });
  }
}

function rig() {
  const turns = new CountedTurns();
  const manual = new ManualClock();
  const clock = Object.assign(Object.create(manual) as ManualClock, {
    monotonic: () => manual.monotonic(),
    now: () => manual.now(),
    setTimeout: manual.setTimeout.bind(manual),
    clearTimeout: manual.clearTimeout.bind(manual),
    afterTurn: (callback: () => void) =>
      manual.afterTurn(() => {
        turns.begin();
        callback();
      }),
  });
  const records = new Map(
    Array.from(
      { length: CHANNELS },
      (_, index) => [nameOf(index), turns.record(nameOf(index), index)] as const,
    ),
  );
  const directory = new ChannelDirectory({
    clock,
    registry: {
      list: async () => [...records.values()],
      getAll: async names => names.map(name => records.get(name)),
      async *slices(most) {
        const all = [...records.values()];
        for (let start = 0; start < all.length; start += most) yield all.slice(start, start + most);
      },
    },
  });
  const close = (index: number): void => {
    const name = nameOf(index);
    records.set(name, turns.record(name, index, 'closed'));
    directory.changed(name);
  };
  return { turns, directory, close };
}

const FIRST: DirectoryQuery = { sort: 'name', descending: false, limit: 50 };

it.each([
  ['by name', FIRST],
  ['by name, the other way round', { ...FIRST, descending: true }],
  ['by creation', { ...FIRST, sort: 'created_at' as const }],
  ['by activity', { ...FIRST, sort: 'last_active' as const }],
  ['filtered', { ...FIRST, accepts: ({ state }: ChannelRecord) => state === 'open' }],
  ['of 1,000 rows', { ...FIRST, limit: 1000 }],
])(
  'a listing %s, its pages and its changes look at no more than 1,000 records in a turn',
  async (_, asked) => {
    const { turns, directory, close } = rig();
    const first = await directory.page(asked);
    expect(first.total).toBe(CHANNELS);
    turns.begin(); // each question comes in a turn of its own
    // So far that the whole order is needed.
    let after = first.next;
    for (let page = 0; page < 12 && after !== undefined; page++) {
      after = (await directory.page({ ...asked, after })).next;
      turns.begin();
    }
    for (let index = 0; index < 3000; index++) close(index);
    turns.begin();
    await directory.page(asked);
    turns.begin();
    await directory.only(Array.from({ length: 50 }, (_, index) => nameOf(index)));
    turns.begin();
    expect([...(await directory.counts())]).toEqual([
      ['open public', CHANNELS - 3000],
      ['closed public', 3000],
    ]);
    directory.stop();
    // And the last row of the page, with which each of them is compared.
    expect(turns.most).toBeLessThanOrEqual(1000 + 1);
    expect(turns.most).toBeGreaterThan(900);
  },
);
