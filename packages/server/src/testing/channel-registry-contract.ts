import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import type { ManualClock } from '@msg/foundation/clock/testing';
import type { ChannelRegistry } from '../channels/registry/contract.ts';
import { currentRecord, noteActivity } from '../channels/registry/uses.ts';
import { assertMatches } from './assert-matches.ts';
import type { TimedSubject } from './timed-subject.ts';

const HOUR = 3_600_000;

/** A registry at a moment `T0` of its clock. */
interface Rig {
  readonly registry: ChannelRegistry;
  readonly clock: ManualClock;
  readonly T0: number;
  /** Moves the clock to `T0` plus this time. */
  readonly until: (ms: number) => Promise<void>;
}

function promise(
  name: string,
  body: (rig: Rig) => Promise<void>,
): ContractCase<TimedSubject<ChannelRegistry>> {
  return {
    name,
    holds({ store: registry, clock }) {
      const T0 = clock.now();
      return body({ registry, clock, T0, until: ms => clock.advance(T0 + ms - clock.now()) });
    },
  };
}

/** What every channel registry does. The subject's store is empty, and time passes in it as on its clock. */
export const CHANNEL_REGISTRY_CONTRACT: readonly ContractCase<TimedSubject<ChannelRegistry>>[] = [
  promise(
    'opening creates, then refreshes activity and TTL, and keeps the creation time',
    async ({ registry, T0, until }) => {
      const created = await registry.openPublic('public:a.b', 1000);
      assertMatches(created, {
        change: 'created',
        record: { state: 'open', createdAt: T0, ttlMs: 1000 },
      });
      await until(5);
      const again = await registry.openPublic('public:a.b', 2000);
      assertMatches(again, {
        change: 'refreshed',
        record: { state: 'open', createdAt: T0, lastActive: T0 + 5, ttlMs: 2000, visibility: 'public' },
      });
      assert.deepEqual(await registry.get('public:a.b'), again.record);
      assert.deepEqual(registry.peek('public:a.b'), again.record);
    },
  ),

  promise(
    'a sweep closes idle public channels once and spares their record; opening reopens',
    async ({ registry, T0, until }) => {
      await registry.openPublic('public:a.b', 1000);
      await until(999);
      assert.deepEqual(await registry.sweep(), []);
      await until(1000);
      const swept = await registry.sweep();
      assertMatches(swept, [{ name: 'public:a.b', state: 'closed', createdAt: T0 }]);
      await until(5000);
      assert.deepEqual(await registry.sweep(), []);
      assertMatches(await registry.touch('public:a.b'), {
        state: 'closed',
        lastActive: T0,
      });
      await until(6000);
      assertMatches(await registry.openPublic('public:a.b', 1000), {
        change: 'reopened',
        record: { state: 'open', createdAt: T0, lastActive: T0 + 6000 },
      });
    },
  ),

  promise('a channel without an end is read as written and never swept', async ({ registry, T0, until }) => {
    const never = Number.POSITIVE_INFINITY;
    assertMatches(await registry.openPublic('public:a.b', never), { record: { ttlMs: never } });
    await until(T0);
    assert.deepEqual(await registry.sweep(), []);
    assertMatches(await registry.get('public:a.b'), { state: 'open', ttlMs: never });
    assertMatches(await registry.openPublic('public:a.b', 1000), { record: { ttlMs: 1000 } });
  }),

  promise(
    'a sweep removes idle private channels; their name can be created again',
    async ({ registry, T0, until }) => {
      assertMatches(await registry.createPrivate('private:a.b.1', 1000), { state: 'open' });
      assert.equal(await registry.createPrivate('private:a.b.1', 1000), undefined);
      await until(1000);
      assertMatches(await registry.sweep(), [{ name: 'private:a.b.1', state: 'deleted' }]);
      assert.equal(await registry.get('private:a.b.1'), undefined);
      assert.equal(registry.peek('private:a.b.1'), undefined);
      assertMatches(await registry.createPrivate('private:a.b.1', 1000), {
        createdAt: T0 + 1000,
      });
    },
  ),

  promise('touching postpones the sweep', async ({ registry, T0, until }) => {
    await registry.openPublic('public:a.b', 1000);
    await until(900);
    assertMatches(await registry.touch('public:a.b'), { lastActive: T0 + 900 });
    await until(1500);
    assert.deepEqual(await registry.sweep(), []);
    assert.equal(await registry.touch('public:a.c'), undefined);
  }),

  promise(
    'activity that is noted in the background postpones the sweep, too',
    async ({ registry, until }) => {
      await registry.openPublic('public:a.b', 1000);
      await until(900);
      await noteActivity(registry, 'public:a.b');
      await until(1899);
      assert.deepEqual(await registry.sweep(), []);
      await until(1900);
      assertMatches(await registry.sweep(), [{ name: 'public:a.b', state: 'closed' }]);
    },
  ),

  promise('a use of a channel sees what this node has done to it', async ({ registry, until }) => {
    assert.equal(await currentRecord(registry, 'public:a.b'), undefined);
    const use = async () => (await currentRecord(registry, 'public:a.b'))?.state;
    await registry.openPublic('public:a.b', 60_000);
    assert.equal(await use(), 'open');
    await registry.close('public:a.b');
    assert.equal(await use(), 'closed');
    await registry.openPublic('public:a.b', 60_000);
    assert.equal(await use(), 'open');
    await until(60_000);
    assert.equal((await registry.sweep()).length, 1);
    assert.equal(await use(), 'closed');
    await registry.openPublic('public:a.b', 60_000);
    await registry.delete('public:a.b');
    assert.equal(await use(), 'deleted');
  }),

  promise('touching replaces the TTL where one is given', async ({ registry, T0, until }) => {
    await registry.createPrivate('private:a.b.1', 1000);
    await until(900);
    assertMatches(await registry.touch('private:a.b.1', 3000), {
      state: 'open',
      ttlMs: 3000,
      createdAt: T0,
      lastActive: T0 + 900,
    });
    assertMatches(await registry.touch('private:a.b.1'), { ttlMs: 3000 });
    assertMatches(await registry.get('private:a.b.1'), { ttlMs: 3000 });
    await until(3800);
    assert.deepEqual(await registry.sweep(), []);
    await until(3900);
    assertMatches(await registry.sweep(), [{ name: 'private:a.b.1', state: 'deleted' }]);
  }),

  promise('closing is what a sweep does, before its time', async ({ registry, T0, until }) => {
    await registry.openPublic('public:a.b', 1000);
    await until(10);
    assertMatches(await registry.close('public:a.b'), {
      changed: true,
      record: { name: 'public:a.b', state: 'closed', ttlMs: 1000, createdAt: T0, lastActive: T0 },
    });
    assertMatches(await registry.close('public:a.b'), { changed: false, record: { state: 'closed' } });
    assertMatches(await registry.get('public:a.b'), { state: 'closed' });
    assertMatches(await registry.openPublic('public:a.b', 1000), { change: 'reopened' });
    await registry.delete('public:a.b');
    assertMatches(await registry.close('public:a.b'), { changed: false, record: { state: 'deleted' } });
    assert.equal(await registry.close('public:a.c'), undefined);
  }),

  promise('deleting leaves a tombstone that refuses everything', async ({ registry, until }) => {
    await registry.openPublic('public:a.b', 1000);
    assertMatches(await registry.delete('public:a.b'), {
      changed: true,
      record: { state: 'deleted' },
    });
    assertMatches(await registry.delete('public:a.b'), { changed: false });
    assertMatches(await registry.openPublic('public:a.b', 1000), { change: 'refused' });
    await until(1);
    assertMatches(await registry.touch('public:a.b'), { state: 'deleted' });
    await until(10_000);
    assert.deepEqual(await registry.sweep(), []);
    assert.deepEqual(await registry.list(), []);
    assert.equal(await registry.delete('public:a.c'), undefined);
    await registry.createPrivate('private:a.b.1', 1000);
    await registry.delete('private:a.b.1');
    assert.equal(await registry.createPrivate('private:a.b.1', 1000), undefined);
  }),

  ...(
    [
      ['back', -HOUR],
      ['forward', HOUR],
    ] as const
  ).map(([direction, jump]) =>
    promise(
      `a wall clock that is set ${direction} by an hour closes nothing early and nothing late`,
      async ({ registry, clock, T0 }) => {
        await registry.openPublic('public:a.idle', 60_000);
        await registry.createPrivate('private:a.b.1', 60_000);
        await registry.openPublic('public:a.busy', 60_000);
        clock.jump(jump);
        await clock.advance(30_000);
        assertMatches(await registry.touch('public:a.busy'), { lastActive: T0 + jump + 30_000 });
        await clock.advance(29_000);
        assert.deepEqual(await registry.sweep(), []);
        await clock.advance(1000);
        const names = (await registry.sweep()).map(({ name, state }) => `${name} ${state}`).sort();
        assert.deepEqual(names, ['private:a.b.1 deleted', 'public:a.idle closed']);
        await clock.advance(30_000);
        assertMatches(await registry.sweep(), [{ name: 'public:a.busy', state: 'closed' }]);
      },
    ),
  ),

  promise('a creation can be taken back without trace', async ({ registry }) => {
    await registry.createPrivate('private:a.b.1', 1000);
    await registry.forget('private:a.b.1');
    assert.notEqual(await registry.createPrivate('private:a.b.1', 1000), undefined);
  }),

  promise('the list holds open and closed channels', async ({ registry, until }) => {
    await registry.openPublic('public:a.b', 1);
    await until(1);
    await registry.sweep();
    await registry.openPublic('public:a.c', 1000);
    const names = (await registry.list()).map(({ name, state }) => `${name} ${state}`).sort();
    assert.deepEqual(names, ['public:a.b closed', 'public:a.c open']);
  }),

  promise('slices hold what the list holds, and are no longer than asked', async ({ registry }) => {
    for (let index = 0; index < 25; index++) await registry.openPublic(`public:a.n${index}`, HOUR);
    await registry.delete('public:a.n7');
    const listed = new Set((await registry.list()).map(({ name }) => name));
    if (registry.slices === undefined) return;
    const sliced = new Set<string>();
    for await (const slice of registry.slices(4)) {
      assert.ok(slice.length <= 4, `a slice has ${slice.length} records`);
      for (const { name } of slice) sliced.add(name);
    }
    assert.deepEqual(sliced, listed);
    assert.equal(sliced.size, 24);
  }),
];
