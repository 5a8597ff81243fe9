import { Payload } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import type { ClientInfo } from '@msg/protocol';
import { openRedis, type RedisStore } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const START_MS = 60_000;
const CHANNELS = 200;
const META_TTL_MS = 60_000;
const names = Array.from({ length: CHANNELS }, (_, index) => `public:reads.${index}`);

function infoOf(user: string): ClientInfo {
  return { user, client: `of ${user}`, connInfo: null, chanInfo: null };
}

describe('reads of many channels at one moment', () => {
  let server: RedisServer;
  let store: RedisStore;
  /** Commands that the store has not answered, and the most there were. */
  const commands = { underWay: 0, most: 0 };

  beforeAll(async () => {
    server = await RedisServer.start();
    store = await openRedis({
      address: server.address,
      async around(_command, work) {
        commands.underWay++;
        commands.most = Math.max(commands.most, commands.underWay);
        try {
          return await work();
        } finally {
          commands.underWay--;
        }
      },
    });
  }, START_MS);

  afterAll(async () => {
    store.close();
    await server.stop();
  });

  it('ask the store for 16 histories at a time, and all are answered', async () => {
    const { broker } = redisBackends([store], { prefix: 'h:b:1' });
    const options = { size: 10, ttlMs: 60_000 };
    await Promise.all(
      names.map(name => broker.publish(name, Payload.of(Buffer.from(JSON.stringify(name))), options, {})),
    );
    commands.most = 0;
    const reads = await Promise.all(names.map(name => broker.history(name, { limit: -1 }, META_TTL_MS)));
    const texts = reads.map(({ publications }) =>
      publications.map(({ data }) => Buffer.from(data.bytes).toString()),
    );
    expect(texts).toEqual(names.map(name => [JSON.stringify(name)]));
    expect(commands.most).toBe(16);
  });

  it('ask the store for 16 lists of presence at a time, and all are answered', async () => {
    const { presence } = redisBackends([store], { prefix: 'p:b:1' });
    await Promise.all(names.map(name => presence.add(name, `client of ${name}`, infoOf(name))));
    commands.most = 0;
    const lists = await Promise.all(names.map(name => presence.get(name)));
    expect(lists.map(list => [...list.keys()])).toEqual(names.map(name => [`client of ${name}`]));
    expect(commands.most).toBe(16);
  });

  it(
    'fail all when the store stands still, and are answered when it goes on',
    async () => {
      const { presence } = redisBackends([store], { prefix: 'p:b:2' });
      server.pause();
      const stopped = await Promise.allSettled(names.map(name => presence.get(name))).finally(() =>
        server.resume(),
      );
      expect(stopped.map(({ status }) => status)).toEqual(names.map(() => 'rejected'));
      await eventually('an answer', () =>
        presence.get('public:reads.0').then(
          () => true,
          () => false,
        ),
      );
      const lists = await Promise.all(names.map(name => presence.get(name)));
      expect(lists.map(list => list.size)).toEqual(names.map(() => 0));
      expect(commands.underWay).toBe(0);
    },
    START_MS,
  );
});
