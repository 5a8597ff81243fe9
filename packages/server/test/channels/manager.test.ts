import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LifecycleEvent, LifecycleSubscription } from '#src/channels/lifecycle-feed.ts';
import { ChannelManager } from '#src/channels/manager.ts';
import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';
import { checkPrivate } from '#src/channels/ttl.ts';

const MINUTE = 60_000;

describe('the channel manager', () => {
  let clock: ManualClock;
  let ended: string[];
  let channels: ChannelManager;
  let feed: LifecycleSubscription;

  beforeEach(() => {
    clock = new ManualClock();
    ended = [];
    channels = new ChannelManager({
      registry: new MemoryChannelRegistry(clock),
      clock,
      onDeleted: async name => {
        ended.push(name);
      },
    });
    feed = channels.events(100);
  });

  const events = async () => {
    feed.cancel();
    const all: LifecycleEvent[] = [];
    for await (const event of feed) all.push(event);
    return all.map(({ kind, name }) => `${kind} ${name}`);
  };

  test('open, sweep, reopen: every row of the public column', async () => {
    const first = await channels.openPublic('public:a.b');
    expect(first).toMatchObject({ state: 'open', ttlMs: 30 * MINUTE });
    await clock.advance(10);
    const again = await channels.openPublic('public:a.b', 5 * MINUTE);
    expect(again).toMatchObject({
      createdAt: first.createdAt,
      lastActive: first.lastActive + 10,
      ttlMs: 5 * MINUTE,
    });
    await clock.advance(5 * MINUTE - 1);
    expect(await channels.sweep()).toBe(0);
    await clock.advance(1);
    expect(await channels.sweep()).toBe(1);
    expect(await channels.get('public:a.b')).toMatchObject({ state: 'closed' });
    expect(await channels.stateOf('public:a.b')).toBe('closed');
    await expect(channels.touch('public:a.b')).rejects.toMatchObject({ code: 'MSG_CHANNEL_CLOSED' });
    await expect(async () => channels.requireOpen('public:a.b')).rejects.toMatchObject({
      code: 'MSG_CHANNEL_CLOSED',
    });
    await channels.openPublic('public:a.b');
    expect(await channels.stateOf('public:a.b')).toBe('open');
    expect(ended).toEqual([]);
    expect(await events()).toEqual(['opened public:a.b', 'closed public:a.b', 'opened public:a.b']);
  });

  test('a private channel that expires is removed, its subscribers end, and the name is free again', async () => {
    await channels.createPrivate('private:a.b.1', 0, record => expect(record.ttlMs).toBe(15 * MINUTE));
    await clock.advance(15 * MINUTE);
    await channels.sweep();
    await expect(channels.get('private:a.b.1')).rejects.toMatchObject({ code: 'MSG_CHANNEL_NOT_FOUND' });
    expect(ended).toEqual(['private:a.b.1']);
    await channels.createPrivate('private:a.b.1', 0, () => undefined);
    expect(await events()).toEqual(['opened private:a.b.1', 'deleted private:a.b.1', 'opened private:a.b.1']);
  });

  test('touch keeps a channel open', async () => {
    await channels.openPublic('public:a.b', MINUTE);
    for (let minute = 0; minute < 3; minute++) {
      await clock.advance(MINUTE - 1);
      await channels.touch('public:a.b');
      await channels.sweep();
    }
    expect(await channels.stateOf('public:a.b')).toBe('open');
  });

  test('deletion is final, ends subscribers once, and repeating it succeeds without event', async () => {
    await channels.openPublic('public:a.b');
    await channels.delete('public:a.b');
    await channels.delete('public:a.b');
    const gone = { code: 'MSG_CHANNEL_NOT_FOUND' };
    await expect(channels.get('public:a.b')).rejects.toMatchObject(gone);
    await expect(channels.openPublic('public:a.b')).rejects.toMatchObject(gone);
    await expect(channels.touch('public:a.b')).rejects.toMatchObject(gone);
    await expect(async () => channels.requireOpen('public:a.b')).rejects.toMatchObject(gone);
    await expect(channels.delete('public:a.c')).rejects.toMatchObject(gone);
    expect(channels.peekState('public:a.b')).toBe('deleted');
    expect(ended).toEqual(['public:a.b']);
    expect(await events()).toEqual(['opened public:a.b', 'deleted public:a.b']);
  });

  test('a creation whose tokens fail leaves no trace', async () => {
    const failing = channels.createPrivate('private:a.b.1', 0, () => {
      throw new Error('no tokens');
    });
    await expect(failing).rejects.toThrow('no tokens');
    await channels.createPrivate('private:a.b.1', 0, () => undefined);
    const again = channels.createPrivate('private:a.b.1', 0, () => undefined);
    await expect(again).rejects.toMatchObject({ code: 'MSG_CHANNEL_EXISTS' });
    expect(await events()).toEqual(['opened private:a.b.1']);
  });

  test.each([
    ['openPublic on a private name', () => channels.openPublic('private:a.b.1'), 'MSG_CHANNEL_INVALID'],
    ['a negative TTL', () => channels.openPublic('public:a.b', -1), 'MSG_INVALID_ARGUMENT'],
    ['createPrivate on a public name', async () => checkPrivate('public:a.b'), 'MSG_CHANNEL_INVALID'],
    [
      'a private TTL over an hour',
      async () => checkPrivate('private:a.b.1', 3_600_001),
      'MSG_CHANNEL_TTL_EXCEEDS_MAX',
    ],
    ['an invalid name', () => channels.get('nonsense'), 'MSG_CHANNEL_INVALID'],
  ])('%s is refused', async (_title, act, code) => {
    await expect(act()).rejects.toMatchObject({ code });
  });

  test('the list is sorted by name', async () => {
    for (const name of ['public:z.a', 'public:a.z', 'public:a-b.c']) await channels.openPublic(name);
    expect((await channels.list()).map(record => record.name)).toEqual([
      'public:a-b.c',
      'public:a.z',
      'public:z.a',
    ]);
  });

  test('a full buffer drops events for that consumer only', async () => {
    const narrow = channels.events(1);
    await channels.openPublic('public:a.b');
    await channels.openPublic('public:a.c');
    expect(narrow.dropped).toBe(1);
    narrow.cancel();
    narrow.cancel();
    const seen: string[] = [];
    for await (const event of narrow) seen.push(event.name);
    expect(seen).toEqual(['public:a.b']);
    expect(await events()).toHaveLength(2);
  });

  test('a consumer that waits is woken by an event and by the end', async () => {
    const follower = channels.events(8);
    const seen: string[] = [];
    const done = (async () => {
      for await (const event of follower) seen.push(event.kind);
    })();
    await channels.openPublic('public:a.b');
    channels.close();
    await done;
    expect(seen).toEqual(['opened']);
  });
});
