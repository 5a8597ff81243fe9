import { systemClock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { expect, test } from 'vitest';
import { connectSharedStore } from '#src/stores/redis/connect.ts';
import { StoreTime } from '#src/stores/redis/store-time.ts';
import { settle } from '../../support/settle.ts';

const HOUR = 3_600_000;

test('goes on by monotonic time, and follows the store, not the clock of the node', async () => {
  const clock = new ManualClock();
  let lead = 5000;
  let readings = 0;
  const time = new StoreTime(clock, async () => {
    readings++;
    return clock.monotonic() + lead;
  });
  await time.poll();
  clock.jump(HOUR);
  expect(time.now()).toBe(clock.monotonic() + 5000);
  await clock.advance(10_000);
  expect(time.now()).toBe(clock.monotonic() + 5000);
  expect(readings).toBe(1);
  lead = 7000;
  await clock.advance(1);
  time.now();
  await settle();
  expect([time.now(), readings]).toEqual([clock.monotonic() + 7000, 2]);
});

test('a store that does not answer is asked again, seldom, and its clock goes on', async () => {
  const clock = new ManualClock();
  let broken = false;
  let readings = 0;
  const time = new StoreTime(clock, async () => {
    readings++;
    if (broken) throw new Error('no answer');
    return clock.monotonic() + 5000;
  });
  await time.poll();
  broken = true;
  for (let second = 0; second < 30; second++) {
    await clock.advance(1000);
    expect(time.now()).toBe(clock.monotonic() + 5000);
    await settle();
  }
  expect(readings).toBe(3);
});

test('is the time of the real store', async () => {
  const server = await RedisServer.start();
  const connection = await connectSharedStore(
    { address: server.address },
    // The node's own clock is an hour ahead.
    { clock: { ...systemClock, now: () => Date.now() + HOUR } },
  );
  try {
    await eventually('both tell the same time', async () => {
      const [seconds, micros] = (await server.command('TIME')) as [string, string];
      return Math.abs(connection.store.now() - (Number(seconds) * 1000 + Number(micros) / 1000)) < 250;
    });
  } finally {
    await connection.close();
    await server.stop();
  }
});
