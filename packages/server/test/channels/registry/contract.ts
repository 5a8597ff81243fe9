import { beforeEach, describe, expect, test } from 'vitest';
import type { ChannelRegistry } from '#src/channels/registry/contract.ts';

const T0 = 1_767_323_045_000;

/** What every channel registry does. `create` makes an empty one. */
export function channelRegistryContract(title: string, create: () => Promise<ChannelRegistry>): void {
  describe(`channel registry: ${title}`, () => {
    let registry: ChannelRegistry;
    beforeEach(async () => {
      registry = await create();
    });

    test('opening creates, then refreshes activity and TTL, and keeps the creation time', async () => {
      const created = await registry.openPublic('public:a.b', 1000, T0);
      expect(created).toMatchObject({
        change: 'created',
        record: { state: 'open', createdAt: T0, ttlMs: 1000 },
      });
      const again = await registry.openPublic('public:a.b', 2000, T0 + 5);
      expect(again).toMatchObject({
        change: 'refreshed',
        record: { state: 'open', createdAt: T0, lastActive: T0 + 5, ttlMs: 2000, visibility: 'public' },
      });
      expect(await registry.get('public:a.b')).toEqual(again.record);
      expect(registry.peek('public:a.b')).toEqual(again.record);
    });

    test('a sweep closes idle public channels once and spares their record; opening reopens', async () => {
      await registry.openPublic('public:a.b', 1000, T0);
      expect(await registry.sweep(T0 + 999)).toEqual([]);
      const swept = await registry.sweep(T0 + 1000);
      expect(swept).toMatchObject([{ name: 'public:a.b', state: 'closed', createdAt: T0 }]);
      expect(await registry.sweep(T0 + 5000)).toEqual([]);
      expect(await registry.touch('public:a.b', T0 + 5000)).toMatchObject({
        state: 'closed',
        lastActive: T0,
      });
      expect(await registry.openPublic('public:a.b', 1000, T0 + 6000)).toMatchObject({
        change: 'reopened',
        record: { state: 'open', createdAt: T0, lastActive: T0 + 6000 },
      });
    });

    test('a sweep removes idle private channels; their name can be created again', async () => {
      expect(await registry.createPrivate('private:a.b.1', 1000, T0)).toMatchObject({ state: 'open' });
      expect(await registry.createPrivate('private:a.b.1', 1000, T0)).toBeUndefined();
      expect(await registry.sweep(T0 + 1000)).toMatchObject([{ name: 'private:a.b.1', state: 'deleted' }]);
      expect(await registry.get('private:a.b.1')).toBeUndefined();
      expect(registry.peek('private:a.b.1')).toBeUndefined();
      expect(await registry.createPrivate('private:a.b.1', 1000, T0 + 1000)).toMatchObject({
        createdAt: T0 + 1000,
      });
    });

    test('touching postpones the sweep', async () => {
      await registry.openPublic('public:a.b', 1000, T0);
      expect(await registry.touch('public:a.b', T0 + 900)).toMatchObject({ lastActive: T0 + 900 });
      expect(await registry.sweep(T0 + 1500)).toEqual([]);
      expect(await registry.touch('public:a.c', T0)).toBeUndefined();
    });

    test('deleting leaves a tombstone that refuses everything', async () => {
      await registry.openPublic('public:a.b', 1000, T0);
      expect(await registry.delete('public:a.b')).toMatchObject({
        changed: true,
        record: { state: 'deleted' },
      });
      expect(await registry.delete('public:a.b')).toMatchObject({ changed: false });
      expect(await registry.openPublic('public:a.b', 1000, T0)).toMatchObject({ change: 'refused' });
      expect(await registry.touch('public:a.b', T0 + 1)).toMatchObject({ state: 'deleted' });
      expect(await registry.sweep(T0 + 10_000)).toEqual([]);
      expect(await registry.list()).toEqual([]);
      expect(await registry.delete('public:a.c')).toBeUndefined();
      await registry.createPrivate('private:a.b.1', 1000, T0);
      await registry.delete('private:a.b.1');
      expect(await registry.createPrivate('private:a.b.1', 1000, T0)).toBeUndefined();
    });

    test('a creation can be taken back without trace', async () => {
      await registry.createPrivate('private:a.b.1', 1000, T0);
      await registry.forget('private:a.b.1');
      expect(await registry.createPrivate('private:a.b.1', 1000, T0)).toBeDefined();
    });

    test('the list holds open and closed channels', async () => {
      await registry.openPublic('public:a.b', 1, T0);
      await registry.sweep(T0 + 1);
      await registry.openPublic('public:a.c', 1000, T0);
      const names = (await registry.list()).map(({ name, state }) => `${name} ${state}`).sort();
      expect(names).toEqual(['public:a.b closed', 'public:a.c open']);
    });
  });
}
