import { ManualClock } from '@msg/foundation/clock/testing';
import { RedisServer } from '@msg/testkit/redis';
import { expect, it } from 'vitest';
import { JOB_KEPT_MS, type RedriveJob } from '#src/notify/dead-letters/jobs/contract.ts';
import { MemoryJobStore } from '#src/notify/dead-letters/jobs/memory.ts';
import { RedisJobStore } from '#src/notify/dead-letters/jobs/redis/store.ts';
import { connectSharedStore } from '#src/stores/redis/connect.ts';

const JOB: RedriveJob = {
  id: 'j-1',
  sink: 'hook',
  state: 'running',
  perSecond: 0.1,
  concurrency: 1,
  stopAfterFailures: 10,
  retries: false,
  matched: 10_000,
  sent: 0,
  parked: 0,
  skipped: 0,
  groups: [],
  startedBy: 'ann',
  startedAt: 0,
  endedAt: 0,
  ranMs: 0,
  node: 'a',
};
const HOUR = 3_600_000;

it('a job that goes on for longer than a day keeps its record, until a day after its end, in memory', async () => {
  const clock = new ManualClock();
  const store = new MemoryJobStore(clock);
  await store.begin(JOB, ['1', '2', '3']);
  for (let hour = 0; hour < 50; hour++) {
    await clock.advance(HOUR);
    await store.save(JOB);
    expect(await store.list()).toMatchObject([{ remaining: 3, isHeld: true }]);
  }
  await store.release({ ...JOB, state: 'done' });
  await clock.advance(JOB_KEPT_MS);
  expect(await store.list()).toHaveLength(1);
  await clock.advance(1);
  expect(await store.list()).toEqual([]);
});

it('a job that goes on for longer than a day keeps its record and its letters, on Redis', async () => {
  const server = await RedisServer.start();
  const connection = await connectSharedStore({ address: server.address, keyPrefix: 'kept' });
  try {
    const store = new RedisJobStore(connection.store);
    await store.begin(JOB, ['1', '2', '3']);
    const keys = ['kept:dlqjob:j-1', 'kept:dlqjob:j-1:letters'];
    const left = () => Promise.all(keys.map(async key => Number(await server.command('PTTL', key))));
    for (const key of keys) await server.command('PEXPIRE', key, HOUR);
    expect(Math.max(...(await left()))).toBeLessThanOrEqual(HOUR);
    await store.save(JOB);
    for (const ms of await left()) expect(ms).toBeGreaterThan(JOB_KEPT_MS - HOUR);
    // One whose record has ended stays gone.
    await server.command('DEL', ...keys);
    await store.save(JOB);
    expect(await store.list()).toEqual([]);
  } finally {
    await connection.close();
    await server.stop();
  }
});
