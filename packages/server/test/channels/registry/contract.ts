import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ChannelRegistry } from '#src/channels/registry/contract.ts';

const HOUR = 3_600_000;

/** What every channel registry does. `create` makes an empty one, in which time passes as on the clock. */
export function channelRegistryContract(
  title: string,
  create: (clock: ManualClock) => Promise<ChannelRegistry>,
): void {
  describe(`channel registry: ${title}`, () => {
    let clock: ManualClock;
    let T0: number;
    let registry: ChannelRegistry;
    beforeEach(async () => {
      clock = new ManualClock();
      T0 = clock.now();
      registry = await create(clock);
    });

    /** Lets time pass until so long after the beginning. */
    const until = (ms: number) => clock.advance(T0 + ms - clock.now());

    test('opening creates, then refreshes activity and TTL, and keeps the creation time', async () => {
      const created = await registry.openPublic('public:a.b', 1000);
      expect(created).toMatchObject({
        change: 'created',
        record: { state: 'open', createdAt: T0, ttlMs: 1000 },
      });
      await until(5);
      const again = await registry.openPublic('public:a.b', 2000);
      expect(again).toMatchObject({
        change: 'refreshed',
        record: { state: 'open', createdAt: T0, lastActive: T0 + 5, ttlMs: 2000, visibility: 'public' },
      });
      expect(await registry.get('public:a.b')).toEqual(again.record);
      expect(registry.peek('public:a.b')).toEqual(again.record);
    });

    test('a sweep closes idle public channels once and spares their record; opening reopens', async () => {
      await registry.openPublic('public:a.b', 1000);
      await until(999);
      expect(await registry.sweep()).toEqual([]);
      await until(1000);
      const swept = await registry.sweep();
      expect(swept).toMatchObject([{ name: 'public:a.b', state: 'closed', createdAt: T0 }]);
      await until(5000);
      expect(await registry.sweep()).toEqual([]);
      expect(await registry.touch('public:a.b')).toMatchObject({
        state: 'closed',
        lastActive: T0,
      });
      await until(6000);
      expect(await registry.openPublic('public:a.b', 1000)).toMatchObject({
        change: 'reopened',
        record: { state: 'open', createdAt: T0, lastActive: T0 + 6000 },
      });
    });

    test('a channel without an end is read as written and never swept', async () => {
      const never = Number.POSITIVE_INFINITY;
      expect(await registry.openPublic('public:a.b', never)).toMatchObject({ record: { ttlMs: never } });
      await until(T0);
      expect(await registry.sweep()).toEqual([]);
      expect(await registry.get('public:a.b')).toMatchObject({ state: 'open', ttlMs: never });
      expect(await registry.openPublic('public:a.b', 1000)).toMatchObject({ record: { ttlMs: 1000 } });
    });

    test('a sweep removes idle private channels; their name can be created again', async () => {
      expect(await registry.createPrivate('private:a.b.1', 1000)).toMatchObject({ state: 'open' });
      expect(await registry.createPrivate('private:a.b.1', 1000)).toBeUndefined();
      await until(1000);
      expect(await registry.sweep()).toMatchObject([{ name: 'private:a.b.1', state: 'deleted' }]);
      expect(await registry.get('private:a.b.1')).toBeUndefined();
      expect(registry.peek('private:a.b.1')).toBeUndefined();
      expect(await registry.createPrivate('private:a.b.1', 1000)).toMatchObject({
        createdAt: T0 + 1000,
      });
    });

    test('touching postpones the sweep', async () => {
      await registry.openPublic('public:a.b', 1000);
      await until(900);
      expect(await registry.touch('public:a.b')).toMatchObject({ lastActive: T0 + 900 });
      await until(1500);
      expect(await registry.sweep()).toEqual([]);
      expect(await registry.touch('public:a.c')).toBeUndefined();
    });

    test('deleting leaves a tombstone that refuses everything', async () => {
      await registry.openPublic('public:a.b', 1000);
      expect(await registry.delete('public:a.b')).toMatchObject({
        changed: true,
        record: { state: 'deleted' },
      });
      expect(await registry.delete('public:a.b')).toMatchObject({ changed: false });
      expect(await registry.openPublic('public:a.b', 1000)).toMatchObject({ change: 'refused' });
      await until(1);
      expect(await registry.touch('public:a.b')).toMatchObject({ state: 'deleted' });
      await until(10_000);
      expect(await registry.sweep()).toEqual([]);
      expect(await registry.list()).toEqual([]);
      expect(await registry.delete('public:a.c')).toBeUndefined();
      await registry.createPrivate('private:a.b.1', 1000);
      await registry.delete('private:a.b.1');
      expect(await registry.createPrivate('private:a.b.1', 1000)).toBeUndefined();
    });

    test.each([
      ['back', -HOUR],
      ['forward', HOUR],
    ])(
      'a wall clock that is set %s by an hour closes nothing early and nothing late',
      async (_direction, jump) => {
        await registry.openPublic('public:a.idle', 60_000);
        await registry.createPrivate('private:a.b.1', 60_000);
        await registry.openPublic('public:a.busy', 60_000);
        clock.jump(jump);
        await clock.advance(30_000);
        expect(await registry.touch('public:a.busy')).toMatchObject({ lastActive: T0 + jump + 30_000 });
        await clock.advance(29_000);
        expect(await registry.sweep()).toEqual([]);
        await clock.advance(1000);
        const names = (await registry.sweep()).map(({ name, state }) => `${name} ${state}`).sort();
        expect(names).toEqual(['private:a.b.1 deleted', 'public:a.idle closed']);
        await clock.advance(30_000);
        expect(await registry.sweep()).toMatchObject([{ name: 'public:a.busy', state: 'closed' }]);
      },
    );

    test('a creation can be taken back without trace', async () => {
      await registry.createPrivate('private:a.b.1', 1000);
      await registry.forget('private:a.b.1');
      expect(await registry.createPrivate('private:a.b.1', 1000)).toBeDefined();
    });

    test('the list holds open and closed channels', async () => {
      await registry.openPublic('public:a.b', 1);
      await until(1);
      await registry.sweep();
      await registry.openPublic('public:a.c', 1000);
      const names = (await registry.list()).map(({ name, state }) => `${name} ${state}`).sort();
      expect(names).toEqual(['public:a.b closed', 'public:a.c open']);
    });
  });
}
