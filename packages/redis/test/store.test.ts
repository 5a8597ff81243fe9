import { createHash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { ManualClock } from '@msg/foundation/clock/testing';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LuaScript } from '#src/script.ts';
import { openRedis, type RedisStore } from '#src/store.ts';

const PUBLISH_AND_WRITE: LuaScript = {
  source: "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('PUBLISH', 'heard', ARGV[1])",
  sha1: '0'.repeat(40), // the store does not know it: it is sent whole
};

describe('a store that does not carry out commands', () => {
  let redis: RedisServer;
  let store: RedisStore;

  beforeAll(async () => {
    redis = await RedisServer.start();
    store = await openRedis({ address: redis.address });
  });
  afterAll(async () => {
    store.close();
    await redis.stop();
  });

  const failure = (command: Promise<unknown>) =>
    command.then(
      () => 'carried out',
      (error: unknown) => error,
    );
  const write = () => failure(store.call('SET', 'k', 'v'));
  const script = () => failure(store.run(PUBLISH_AND_WRITE, ['k'], ['v']));

  it('out of memory: it says so to commands and scripts, and none of it happens', async () => {
    const client = redis.client();
    await client.connect();
    const heard: string[] = [];
    client.on('message', (_channel, text: string) => heard.push(text));
    await client.subscribe('heard');
    await redis.command('CONFIG', 'SET', 'maxmemory', 1);
    for (const attempt of [write, script])
      expect(await attempt()).toMatchObject({ name: 'StoreError', code: 'OOM', mayHaveHappened: false });
    expect(await failure(store.call('GET', 'k'))).toBe('carried out');
    await redis.command('CONFIG', 'SET', 'maxmemory', 0);
    expect(await redis.command('EXISTS', 'k')).toBe(0);
    expect(await script()).toBe('carried out');
    await expect.poll(() => heard).toEqual(['v']);
    client.disconnect();
  });

  it('read-only: it says so, and works again afterwards', async () => {
    await redis.command('REPLICAOF', '127.0.0.1', 1);
    for (const attempt of [write, script]) {
      await expect.poll(async () => ((await attempt()) as { code?: string }).code).toBe('READONLY');
    }
    await redis.command('REPLICAOF', 'NO', 'ONE');
    await expect.poll(write).toBe('carried out');
  });

  it('an error of the command itself is the library’s', async () => {
    await store.call('LPUSH', 'list', 'a');
    expect(await failure(store.call('GET', 'list'))).toMatchObject({
      name: 'ReplyError',
      message: expect.stringMatching(/^WRONGTYPE /),
    });
  });

  it('paused: writes may have happened, reads change nothing', async () => {
    redis.pause();
    const [set, get] = await Promise.all([write(), failure(store.call('GET', 'k'))]);
    redis.resume();
    expect(set).toMatchObject({ code: 'NO_ANSWER', mayHaveHappened: true });
    expect(get).toMatchObject({ code: 'NO_ANSWER', mayHaveHappened: false });
  });

  it('gone: what is not sent has not happened', async () => {
    await redis.kill();
    await expect
      .poll(async () => {
        const { code, mayHaveHappened } = (await write()) as { code?: string; mayHaveHappened?: boolean };
        return [code, mayHaveHappened];
      })
      .toEqual(['DISCONNECTED', false]);
  });
});

describe('scripts that a server does not know', () => {
  const source = "return redis.call('INCR', KEYS[1])";
  const COUNT: LuaScript = { source, sha1: createHash('sha1').update(source).digest('hex') };
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());

  it('run in the order of the calls, also while other connections bring the same script', async () => {
    for (let round = 0; round < 50; round++) {
      await redis.command('SCRIPT', 'FLUSH');
      const stores = await Promise.all([1, 2, 3].map(() => openRedis({ address: redis.address })));
      const answers = await Promise.all(
        stores.map((store, at) =>
          Promise.all([1, 2, 3, 4].map(() => store.run(COUNT, [`${round}.${at}`], []))),
        ),
      );
      for (const store of stores) store.close();
      expect(answers).toEqual(stores.map(() => [1, 2, 3, 4]));
    }
  });
});

describe('the clock of a store', () => {
  it('ends an opening that gets no answer', async () => {
    const sockets: Socket[] = [];
    const silent = createServer(socket => sockets.push(socket));
    await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const clock = new ManualClock();
    const opening = openRedis({ address: `127.0.0.1:${port}`, clock }).catch((error: Error) => error.message);
    await expect.poll(() => sockets.length).toBe(1);
    await clock.advance(5000);
    expect(await opening).toBe('no answer within 5000 ms');
    for (const socket of sockets) socket.destroy();
    await new Promise(resolve => silent.close(resolve));
  });

  it('puts an unsubscribe off', async () => {
    const redis = await RedisServer.start();
    const clock = new ManualClock();
    const store = await openRedis({ address: redis.address, clock });
    const subscriptions = store.subscriptions('probe', { message: () => {}, restored: () => {} });
    await subscriptions.start();
    await subscriptions.subscribe('news');
    const subscribers = async () => ((await redis.command('PUBSUB', 'NUMSUB', 'news')) as unknown[])[1];
    subscriptions.unsubscribe('news');
    await clock.advance(999);
    expect(await subscribers()).toBe(1);
    await clock.advance(1);
    await expect.poll(subscribers).toBe(0);
    store.close();
    await redis.stop();
  });
});
