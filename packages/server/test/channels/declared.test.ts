import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, test } from 'vitest';
import { type DeclaredChannel, DeclaredChannels } from '#src/channels/declared.ts';
import { ChannelManager } from '#src/channels/manager.ts';
import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';

const MINUTE = 60_000;

describe('declared channels', () => {
  test('the most specific entry gives the TTL; what nothing covers is not declared', () => {
    const declared = new DeclaredChannels([
      { pattern: 'public:shop.**', ttlMs: 1 },
      { name: 'public:shop.news', ttlMs: 3 },
      { pattern: 'public:shop.*', ttlMs: 2 },
      { pattern: 'public:chat.*' },
    ]);
    const ttls = ['public:shop.news', 'public:shop.other', 'public:shop.a.b', 'public:chat.a'];
    expect(ttls.map(name => declared.ttlOf(name))).toEqual([3, 2, 1, 0]);
    for (const name of ['public:other.a', 'private:shop.a.b', 'no name', 'public:chat'])
      expect(declared.ttlOf(name)).toBeUndefined();
    expect(declared.names).toEqual(['public:shop.news']);
  });

  test.each<[DeclaredChannel, string]>([
    [{}, 'channels.open: an entry has either a name or a pattern'],
    [{ name: 'public:a.b', pattern: 'public:a.*' }, 'channels.open: an entry has either a name or a pattern'],
    [
      { name: 'private:a.b.c' },
      'channels.open: private:a.b.c must be public: private channels need credentials',
    ],
    [
      { pattern: 'private:a.**' },
      'channels.open: private:a.** must be public: private channels need credentials',
    ],
    [{ name: 'public:a.*' }, 'channels.open: public:a.* is not a channel name'],
    [{ name: 'public:a.b', ttlMs: -1 }, 'channels.open: the TTL of public:a.b must be 0 or more; got -1 ms'],
  ])('%j is refused', (entry, message) => {
    expect(() => new DeclaredChannels([entry])).toThrow(
      expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT', message }),
    );
  });
});

describe('the channel manager with declared channels', () => {
  const clock = new ManualClock();
  const manager = (subscribed?: Set<string>) =>
    new ChannelManager({
      registry: new MemoryChannelRegistry(clock),
      clock,
      declared: new DeclaredChannels([
        { name: 'public:shop.news', ttlMs: Number.POSITIVE_INFINITY },
        { pattern: 'public:chat.*', ttlMs: MINUTE },
      ]),
      ...(subscribed === undefined ? {} : { subscribedChannels: () => subscribed }),
      onDeleted: async () => {},
    });

  test('a channel that never closes outlives any sweep', async () => {
    const channels = manager();
    expect(await channels.openDeclared()).toEqual([]);
    await clock.advance(1000 * 24 * 3600 * 1000);
    expect(await channels.sweep()).toBe(0);
    expect(await channels.stateOf('public:shop.news')).toBe('open');
  });

  test('names that were deleted by hand are answered, and stay closed', async () => {
    const channels = manager();
    await channels.openDeclared();
    await channels.delete('public:shop.news');
    expect(await channels.openDeclared()).toEqual(['public:shop.news']);
    await expect(async () => channels.openForUse('public:shop.news')).rejects.toMatchObject({
      code: 'MSG_CHANNEL_NOT_FOUND',
    });
  });

  test('a use opens and reopens with the declared TTL; an explicit TTL wins', async () => {
    const channels = manager();
    expect(await channels.openForUse('public:chat.a')).toMatchObject({ ttlMs: MINUTE });
    await clock.advance(MINUTE);
    expect(await channels.sweep()).toBe(1);
    expect(await channels.openForUse('public:chat.a')).toMatchObject({ state: 'open', ttlMs: MINUTE });
    expect(await channels.openPublic('public:chat.a', 5)).toMatchObject({ ttlMs: 5 });
    await expect(async () => channels.openForUse('public:other.a')).rejects.toMatchObject({
      code: 'MSG_CHANNEL_NOT_FOUND',
    });
  });

  test.each([0, -3_600_000, 3_600_000])(
    'live subscribers count as activity where that is wanted, the wall clock set by %i ms',
    async jump => {
      const subscribed = new Set(['public:chat.a', 'private:chat.b.1']);
      const channels = manager(subscribed);
      await channels.openPublic('public:chat.a', MINUTE);
      await channels.openPublic('public:chat.c', MINUTE);
      await channels.createPrivate('private:chat.b.1', MINUTE, () => {});
      clock.jump(jump);
      for (let round = 0; round < 5; round++) {
        await clock.advance(MINUTE / 2);
        await channels.sweep();
      }
      expect(await channels.stateOf('public:chat.a')).toBe('open');
      expect(await channels.stateOf('private:chat.b.1')).toBe('open');
      expect(await channels.stateOf('public:chat.c')).toBe('closed');
      subscribed.clear();
      await clock.advance(MINUTE);
      await channels.sweep();
      expect(await channels.stateOf('public:chat.a')).toBe('closed');
      expect(await channels.stateOf('private:chat.b.1')).toBeUndefined();
    },
  );
});
