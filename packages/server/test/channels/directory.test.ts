import { ManualClock } from '@msg/foundation/clock/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ChannelDirectory } from '#src/channels/directory.ts';

import type { DirectoryPosition, DirectorySort } from '#src/channels/directory-index.ts';
import type { DirectoryQuery } from '#src/channels/directory-rows.ts';
import type { ChannelRecord } from '#src/channels/record.ts';
import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';

const HOUR = 3_600_000;

/** A registry whose whole reads are counted, and its directory, which hears of changes. */
function rig() {
  const clock = new ManualClock();
  const registry = new MemoryChannelRegistry(clock);
  const reads = { whole: 0, longest: 0 };
  const directory = new ChannelDirectory({
    clock,
    registry: {
      list: () => registry.list(),
      getAll: names => registry.getAll(names),
      async *slices(most) {
        reads.whole += 1;
        for await (const slice of registry.slices(most)) {
          reads.longest = Math.max(reads.longest, slice.length);
          yield slice;
        }
      },
    },
  });
  const open = async (name: string, ttlMs = HOUR): Promise<void> => {
    const { change } = await registry.openPublic(name, ttlMs);
    if (change === 'created' || change === 'reopened') directory.changed(name);
  };
  const close = async (name: string): Promise<void> => {
    await registry.close(name);
    directory.changed(name);
  };
  const remove = async (name: string): Promise<void> => {
    await registry.delete(name);
    directory.changed(name);
  };
  return { clock, registry, directory, reads, open, close, remove };
}

const query = (changes: Partial<DirectoryQuery> = {}): DirectoryQuery => ({
  sort: 'name',
  descending: false,
  limit: 1000,
  ...changes,
});
const nameOf = (index: number): string => `public:shop.n${String(index).padStart(6, '0')}`;

const isEven = ({ name }: { readonly name: string }): boolean => Number(name.at(-1)) % 2 === 0;

/** Follows the cursors over so many pages. */
async function everyPage(directory: ChannelDirectory, asked: DirectoryQuery, pages: number): Promise<void> {
  let after: DirectoryPosition | undefined;
  for (let page = 0; page < pages; page++)
    after = (await directory.page(after === undefined ? asked : { ...asked, after })).next;
}

/** Follows the cursors to the end, and lets something happen between two pages. */
async function everyName(
  directory: ChannelDirectory,
  asked: DirectoryQuery,
  between: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const names: string[] = [];
  let after: DirectoryPosition | undefined;
  do {
    const page = await directory.page(after === undefined ? asked : { ...asked, after });
    names.push(...page.records.map(({ name }) => name));
    after = page.next;
    await between();
  } while (after !== undefined);
  return names;
}

describe('the directory of channels', () => {
  it('pages, sorts and filters 5,000 channels, and reads no more than 1,000 at a time', async () => {
    const { clock, directory, open, close, reads } = rig();
    for (let index = 0; index < 5000; index++) {
      if (index % 1000 === 0) await clock.advance(1);
      await open(nameOf((index * 7919) % 5000));
    }
    const sorted = Array.from({ length: 5000 }, (_, index) => nameOf(index));
    expect(await everyName(directory, query({ limit: 777 }))).toEqual(sorted);
    expect(await everyName(directory, query({ limit: 777, descending: true }))).toEqual(sorted.toReversed());
    for (let index = 0; index < 10; index++) await close(nameOf(index * 500));
    const accepts = ({ state }: { readonly state: string }): boolean => state === 'closed';
    const page = await directory.page(query({ accepts, limit: 4 }));
    expect([page.total, page.records.map(({ name }) => name)]).toEqual([
      10,
      [0, 500, 1000, 1500].map(nameOf),
    ]);
    expect(await everyName(directory, query({ accepts, limit: 4, sort: 'created_at' }))).toHaveLength(10);
    expect(reads).toEqual({ whole: 1, longest: 1000 });
  });

  it.each<DirectorySort>(['name', 'created_at', 'last_active'])(
    'has every page of 50 in the order %s',
    async sort => {
      const { clock, registry, directory, open, remove } = rig();
      for (let index = 0; index < 3000; index++) {
        if (index % 7 === 0) await clock.advance(1);
        await open(nameOf((index * 7919) % 3000));
      }
      for (let index = 0; index < 3000; index += 11) {
        await clock.advance(1);
        await registry.touch(nameOf(index));
      }
      const key = ({ name, createdAt, lastActive }: ChannelRecord): string =>
        `${sort === 'name' ? '' : String(sort === 'created_at' ? createdAt : lastActive).padStart(16, '0')} ${name}`;
      const inOrder = async (accepts: (record: ChannelRecord) => boolean): Promise<readonly string[]> => {
        const records = (await registry.list()).filter(accepts);
        return records.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).map(({ name }) => name);
      };
      for (const change of [async () => {}, () => remove(nameOf(1500)), () => open('public:shop.another')]) {
        await change();
        const [all, some] = [await inOrder(() => true), await inOrder(isEven)];
        const asked = query({ sort, limit: 50 });
        expect(await everyName(directory, asked)).toEqual(all);
        expect(await everyName(directory, { ...asked, descending: true })).toEqual(all.toReversed());
        expect(await everyName(directory, { ...asked, limit: 400, accepts: isEven })).toEqual(some);
        const page = await directory.page({ ...asked, accepts: isEven });
        expect([page.total, page.records.length]).toEqual([some.length, 50]);
      }
      directory.stop();
    },
  );

  it('finds the first pages of 20,000 channels without sorting them, and looks at each record once', async () => {
    const { registry, directory, open } = rig();
    for (let index = 0; index < 20_000; index++) await open(nameOf(index));
    const compared = vi.spyOn(Array.prototype, 'sort');
    const sorted = (): number => {
      const items = compared.mock.contexts.reduce<number>(
        (sum, items) => sum + (items as readonly unknown[]).length,
        0,
      );
      compared.mockClear();
      return items;
    };
    try {
      await everyPage(directory, query({ limit: 50 }), 9);
      expect(sorted()).toBeLessThan(4000);
      await directory.page(query({ limit: 50 }));
      expect(sorted()).toBe(0);
      await everyPage(directory, query({ limit: 50 }), 11);
      expect(sorted()).toBeGreaterThan(20_000 - 1);
    } finally {
      compared.mockRestore();
      directory.stop();
    }
    expect((await registry.list()).length).toBe(20_000);
  });

  it('counts a channel once that is deleted and made again while the registry is read', async () => {
    const { clock, registry } = rig();
    const record = await registry.createPrivate('private:a.b', HOUR);
    const directory: ChannelDirectory = new ChannelDirectory({
      clock,
      registry: {
        list: () => registry.list(),
        getAll: names => registry.getAll(names),
        async *slices() {
          yield [record as ChannelRecord];
          directory.changed('private:a.b');
          yield [record as ChannelRecord];
        },
      },
    });
    const page = await directory.page(query());
    expect([page.total, page.records.length]).toEqual([1, 1]);
    directory.stop();
  });

  it('sees every change of state at once, and reads the registry once for many questions', async () => {
    const { directory, open, close, remove, reads } = rig();
    await open('public:a.b');
    const seen = async () =>
      (await directory.page(query())).records.map(({ name, state }) => `${name} ${state}`);
    expect(await seen()).toEqual(['public:a.b open']);
    await Promise.all([open('public:a.c'), close('public:a.b')]);
    expect(await seen()).toEqual(['public:a.b closed', 'public:a.c open']);
    await remove('public:a.b');
    expect(await seen()).toEqual(['public:a.c open']);
    expect([...(await directory.counts())]).toEqual([['open public', 1]]);
    expect(reads.whole).toBe(1);
  });

  it('is made anew behind an answer when it is ten seconds old, and dropped a minute after the last', async () => {
    const { clock, registry, directory, open, reads } = rig();
    await open('public:a.b');
    const active = async () => (await directory.page(query())).records[0]?.lastActive;
    const first = await active();
    await clock.advance(9000);
    await registry.touch('public:a.b');
    expect(await active()).toBe(first);
    await clock.advance(2000);
    await active();
    expect(reads.whole).toBe(2);
    await vi.waitFor(async () => expect(await active()).toBe((first ?? 0) + 9000));
    await clock.advance(200_000);
    expect(reads.whole).toBe(2);
    await active();
    expect(reads.whole).toBe(3);
    directory.stop();
    expect(clock.pending).toBe(0);
  });

  it('answers counts for a minute without reading again', async () => {
    const { clock, directory, open, reads } = rig();
    await open('public:a.b');
    for (let second = 0; second < 55; second += 5) {
      await directory.counts();
      await clock.advance(5000);
    }
    await open('public:a.c');
    expect([...(await directory.counts())]).toEqual([['open public', 2]]);
    expect(reads.whole).toBe(1);
  });

  it('asks again after a failure of the registry', async () => {
    const { clock, registry } = rig();
    await registry.openPublic('public:a.b', HOUR);
    let fails = true;
    const failing = new ChannelDirectory({
      clock,
      registry: {
        getAll: names => registry.getAll(names),
        list: async () => {
          if (fails) throw new Error('the store is away');
          return registry.list();
        },
      },
    });
    await expect(failing.page(query())).rejects.toThrow('the store is away');
    fails = false;
    expect((await failing.page(query())).total).toBe(1);
  });

  it('shows nothing twice and misses nothing that stays, whatever changes between the pages', async () => {
    const change = fc.record({
      kind: fc.constantFrom('open', 'close', 'remove', 'touch', 'wait'),
      index: fc.nat(59),
    });
    const sorts: readonly DirectorySort[] = ['name', 'created_at'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...sorts),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 40 }),
        async (sort, descending, filters, limit, rounds) => {
          const { clock, registry, directory, open, close, remove } = rig();
          for (let index = 0; index < 40; index++) {
            if (index % 3 === 0) await clock.advance(1);
            await open(nameOf((index * 17) % 40));
          }
          const lasting = new Set(Array.from({ length: 40 }, (_, index) => nameOf(index)));
          const changes = rounds[Symbol.iterator]();
          const between = async (): Promise<void> => {
            for (const { kind, index } of changes.next().value ?? []) {
              const name = nameOf(index);
              if (kind === 'open') await open(name);
              if (kind === 'close') await close(name);
              if (kind === 'touch') await registry.touch(name);
              if (kind === 'wait') await clock.advance(4000);
              if (kind !== 'remove') continue;
              await remove(name);
              lasting.delete(name);
            }
          };
          const asked = query({ sort, descending, limit, ...(filters ? { accepts: isEven } : {}) });
          const names = await everyName(directory, asked, between);
          directory.stop();
          expect(new Set(names).size).toBe(names.length);
          const wanted = [...lasting].filter(name => !filters || isEven({ name }));
          expect(wanted.filter(name => !names.includes(name))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
