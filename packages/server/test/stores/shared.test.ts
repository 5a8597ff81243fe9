import { Msg, type MsgOptions } from '@msg/server';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

describe('services in one process that share a store', () => {
  let redis: RedisServer;
  let serial = 0;
  const running: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterEach(async () => {
    for (const stop of running.splice(0)) await stop();
  });
  afterAll(() => redis.stop());

  async function run(keyPrefix: string, options: MsgOptions = {}): Promise<Msg> {
    const msg = await Msg.create({ redis: { address: redis.address, keyPrefix }, ...options });
    const controller = new AbortController();
    const ended = msg.run(controller.signal);
    running.push(async () => {
      controller.abort();
      await ended;
    });
    await msg.ready();
    return msg;
  }

  /** What a service has told its followers. */
  function followed(msg: Msg): string[] {
    const events: string[] = [];
    const feed = msg.channels.events(100);
    void (async () => {
      for await (const { kind, name } of feed) events.push(`${kind} ${name}`);
    })();
    return events;
  }

  test('each transition is told once on every one of them, the one that made it included', async () => {
    const prefix = `shared${serial++}`;
    const nodes = [await run(prefix), await run(prefix), await run(prefix)];
    const [a, b, c] = nodes as [Msg, Msg, Msg];
    const feeds = nodes.map(followed);
    await a.channels.openPublic('public:told.a');
    await b.channels.createPrivate({ name: 'private:told.b.1' });
    await Promise.all(nodes.map(node => node.channels.openPublic('public:told.c')));
    await c.channels.delete('public:told.a');
    await a.channels.openPublic('public:told.last');
    for (const events of feeds)
      await eventually('all is told', () => events.includes('opened public:told.last'));
    for (const events of feeds) {
      expect(events.toSorted()).toEqual([
        'deleted public:told.a',
        'opened private:told.b.1',
        'opened public:told.a',
        'opened public:told.c',
        'opened public:told.last',
      ]);
    }
  });

  test('a refused creation makes no event and leaves nothing', async () => {
    const prefix = `shared${serial++}`;
    // No access token may live that long: issuing fails after the record was made.
    const [a, b] = [await run(prefix, { accessTokenTtlMs: 7_200_000 }), await run(prefix)];
    const events = followed(b);
    await expect(a.channels.createPrivate({ name: 'private:told.b.1' })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
    });
    await expect(b.channels.get('private:told.b.1')).rejects.toMatchObject({ code: 'MSG_CHANNEL_NOT_FOUND' });
    await b.channels.openPublic('public:told.last');
    await eventually('what follows is told', () => events.length > 0);
    expect(events).toEqual(['opened public:told.last']);
  });

  test('different prefixes do not see each other', async () => {
    const [a, b] = [await run(`shared${serial++}`), await run(`shared${serial++}`)];
    await a.channels.openPublic('public:own.room');
    await expect(b.channels.get('public:own.room')).rejects.toMatchObject({ code: 'MSG_CHANNEL_NOT_FOUND' });
    expect(a.keys.activeId).not.toBe(b.keys.activeId);
  });

  test('a service that is closed instead of run lets its connections go', async () => {
    const prefix = `shared${serial++}`;
    const connections = async () =>
      String(await redis.command('CLIENT', 'LIST'))
        .trim()
        .split('\n').length;
    const before = await connections();
    const msg = await Msg.create({ redis: { address: redis.address, keyPrefix: prefix } });
    expect(await connections()).toBeGreaterThan(before);
    await msg.close();
    await eventually('the connections are gone', async () => (await connections()) === before);
  });
});
