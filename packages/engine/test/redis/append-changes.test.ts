// What Redis keeps of messages, and who hears of their ends.
import { redisBackends } from '@msg/engine/redis';
import { openRedis, type RedisStore } from '@msg/redis';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareAppend } from '#src/append/prepare.ts';

const STREAM = { size: 10, ttlMs: 60_000, append: { maxBytes: 8192, orphanMs: 5000 } };
const NONE = { publication: () => {}, appended: () => {}, join: () => {}, leave: () => {} };

let redis: RedisServer;
const stores: RedisStore[] = [];
const request = (seq: number, op: { text: string } | { status: 'complete' }) =>
  prepareAppend({ message: 'm', producer: 'p', seq, ops: [op] });

async function brokerOf(prefix = 'changes') {
  const store = await openRedis({ address: redis.address });
  stores.push(store);
  return redisBackends([store], { prefix }).broker;
}

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(async () => {
  for (const store of stores) store.close();
  await redis.stop();
});

it('keys of messages live as long as the history, or as it takes to miss a producer twice', async () => {
  const broker = await brokerOf('life');
  await broker.start(NONE);
  const [store] = stores.slice(-1) as [RedisStore];
  const lives = async (key: string, most: number): Promise<void> => {
    const ms = Number(await store.call('PTTL', `life.append.${key}`));
    expect([ms > most - 30_000, ms <= most], `${key}: ${ms}`).toEqual([true, true]);
  };
  const append = (channel: string, ttlMs: number, orphanMs: number, ...args: Parameters<typeof request>) =>
    broker.appends?.append(channel, request(...args), {
      ...STREAM,
      ttlMs,
      append: { maxBytes: 8192, orphanMs },
    });
  await append('d', 600_000, 5000, 1, { text: 'a' });
  await lives('body.d', 600_000);
  await append('e', 60_000, 3_600_000, 1, { text: 'a' });
  await lives('body.e', 7_200_000);
  // An ended one is remembered for 300 s, or as long as the history.
  await append('d', 600_000, 5000, 2, { status: 'complete' });
  await lives('done.d:m', 600_000);
  await append('e', 60_000, 3_600_000, 2, { status: 'complete' });
  await lives('done.e:m', 300_000);
  await broker.appends?.cancel('e', { input: 'i' }, { by: '', reason: '', at: 0 });
  await lives('input.e:i', 60_000);
  await broker.stop();
});

it('an end is told where the first states were missed', async () => {
  const [writing, reading] = [await brokerOf(), await brokerOf()];
  const changed = Promise.withResolvers<string>();
  const missed: string[] = [];
  await writing.start(NONE);
  await reading.start({
    ...NONE,
    appendChanged: channel => changed.resolve(channel),
    missed: channel => void missed.push(channel),
  });
  await writing.appends?.append('c', request(1, { text: 'a' }), STREAM);
  await reading.subscribe('c');
  await writing.appends?.append('c', request(2, { status: 'complete' }), STREAM);
  expect(await changed.promise).toBe('c');
  expect(missed).toEqual(['c']);
  await Promise.all([writing.stop(), reading.stop()]);
});

it('a node with a copy of the message reads no more than the position; one without reads the text once', async () => {
  const [writing, reading] = [await brokerOf('copy'), await brokerOf('copy')];
  const [store] = stores.slice(-1) as [RedisStore];
  const grown = Promise.withResolvers<void>();
  await writing.start(NONE);
  await reading.start({ ...NONE, appended: () => grown.resolve() });
  /** How often a text is read by a look at the channel, and the text that the look finds. */
  const look = async (): Promise<readonly [number, unknown]> => {
    await store.call('CONFIG', 'RESETSTAT');
    const { compacted } = await reading.history('c', { limit: 0 }, 3_600_000);
    const stats = String(await store.call('INFO', 'commandstats'));
    const { text } = JSON.parse(Buffer.from(compacted?.open?.data.bytes ?? []).toString());
    return [Number(/^cmdstat_get:calls=(\d+)/m.exec(stats)?.[1] ?? 0), text];
  };
  await writing.appends?.append('c', request(1, { text: 'so ' }), STREAM);
  await reading.subscribe('c');
  expect(await look()).toEqual([1, 'so ']);
  expect(await look()).toEqual([0, 'so ']);
  await writing.appends?.append('c', request(2, { text: 'far' }), STREAM);
  await grown.promise;
  expect(await look()).toEqual([0, 'so far']);
  // Without subscribers there is no copy.
  await reading.unsubscribe('c');
  expect(await look()).toEqual([1, 'so far']);
  await Promise.all([writing.stop(), reading.stop()]);
});
