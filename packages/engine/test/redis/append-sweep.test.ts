import { redisBackends } from '@msg/engine/redis';
import { RecordedEvents } from '@msg/engine/testing';
import { systemClock } from '@msg/foundation/clock';
import { openRedis } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { expect, it } from 'vitest';
import { prepareAppend } from '#src/append/prepare.ts';

const STREAM = { size: 10, ttlMs: 60_000, append: { maxBytes: 8192, orphanMs: 5000 } };
const request = { message: 'm', producer: 'p', seq: 1, ops: [{ text: 'a' }] };

it('a message that no node delivers is ended when the list of open messages is looked through', async () => {
  const redis = await RedisServer.start();
  const store = await openRedis({ address: redis.address });
  const looks: (() => void)[] = [];
  const setTimeout = (look: () => void): object => ({ look: looks.push(look) });
  const clock = { ...systemClock, setTimeout, clearTimeout: () => {} };
  const { broker } = redisBackends([store], { clock });
  const ends: unknown[] = [];
  const events = new RecordedEvents();
  await broker.start({
    publication: () => {},
    appended: (...appended) => events.appended(...appended),
    join: () => {},
    leave: () => {},
    flushed: (channel, end) => ends.push([channel, end]),
  });
  await broker.appends?.append('c', prepareAppend(request), STREAM);
  const ended = () => ends.some(end => JSON.stringify(end).includes('orphan'));
  await eventually(
    'it has ended',
    () => {
      for (const look of looks.splice(0)) look();
      return ended();
    },
    60_000,
  );
  expect(ends).toEqual([
    ['c', null],
    ['c', { status: 'failed', by: 'orphan' }],
  ]);
  await broker.stop();
  store.close();
  await redis.stop();
}, 120_000);
