import { ManualClock } from '@msg/foundation/clock/testing';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RedriveJob } from '#src/notify/dead-letters/jobs/contract.ts';
import { MemoryJobStore } from '#src/notify/dead-letters/jobs/memory.ts';
import { RedisJobStore } from '#src/notify/dead-letters/jobs/redis/store.ts';
import type { ListedJob } from '#src/notify/dead-letters/jobs/redrive.ts';
import { connectSharedStore, type SharedConnection } from '#src/stores/redis/connect.ts';
import { begin, beginMany, endOf, OPTIONS, queueOf, startNode, type TestNode } from './support/node.ts';

/** A deadline of polls, not a bound. */
const WITHIN = { timeout: 20_000 };

describe('a job of dead letters', () => {
  it('sends the oldest first, at its rate, and tells what became of each group', async () => {
    const clock = new ManualClock();
    const node = startNode(clock, await queueOf(20), new MemoryJobStore(clock), body => body !== 'n4');
    const { id } = await begin(node);
    await clock.advance(500);
    expect(node.sends).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5'].slice(0, node.sends.length));
    expect(node.sends.length).toBeLessThanOrEqual(6);
    const job = await endOf(clock, node, id);
    expect(job).toMatchObject({ state: 'done', matched: 20, sent: 19, parked: 1, skipped: 0, remaining: 0 });
    expect(job.groups).toMatchObject([
      { sent: 9, parked: 1, sample: 'webhook returned 503' },
      { sent: 10, parked: 0, sample: 'no route to host' },
    ]);
    expect(node.sends).toEqual(Array.from({ length: 20 }, (_, index) => `n${index}`));
    expect((await node.deadLetters.list('hook')).map(({ attempts }) => attempts)).toEqual([2]);
  });

  it('ends after failures in a row: a dead destination is not hammered', async () => {
    const clock = new ManualClock();
    const node = startNode(clock, await queueOf(100), new MemoryJobStore(clock), () => false);
    const { id } = await begin(node, { stopAfterFailures: 5, concurrency: 3, perSecond: 1000 });
    const job = await endOf(clock, node, id);
    expect(job.state).toBe('tripped');
    expect(node.sends.length).toBeLessThanOrEqual(5 + 3);
    expect(await node.deadLetters.count('hook')).toBe(100);
  });

  it('tells at each look for how long it ran', async () => {
    const clock = new ManualClock();
    const node = startNode(clock, await queueOf(3), new MemoryJobStore(clock), () => true);
    await begin(node, { perSecond: 0.3 });
    for (const ranMs of [1000, 2000, 3000]) {
      await clock.advance(1000);
      expect((await node.redriveJobs.list())[0]).toMatchObject({ state: 'running', ranMs });
    }
  });

  it('stops within one send, and what is left stays parked', async () => {
    const clock = new ManualClock();
    const node = startNode(clock, await queueOf(50), new MemoryJobStore(clock), () => true);
    const { id } = await begin(node, { perSecond: 0.1 });
    await clock.advance(11_000);
    await node.redriveJobs.stop(id);
    const before = node.sends.length;
    const job = await endOf(clock, node, id);
    expect([job.state, node.sends.length - before <= 1, job.remaining]).toEqual([
      'stopped',
      true,
      50 - job.sent,
    ]);
  });

  it('is the only one of its sink, and there are four on a node', async () => {
    const clock = new ManualClock();
    const node = startNode(clock, await queueOf(3), new MemoryJobStore(clock), () => true);
    const { id } = await begin(node);
    await expect(begin(node)).rejects.toThrow(
      `job ${id} sends letters of hook already: wait for its end, or stop it`,
    );
    await endOf(clock, node, id);
    await begin(node);
  });

  it('has not ended before its sink is free', async () => {
    const clock = new ManualClock();
    let free = (): void => {};
    const isFree = new Promise<void>(resolve => {
      free = resolve;
    });
    class SlowStore extends MemoryJobStore {
      override async release(job: RedriveJob): Promise<void> {
        await isFree;
        await super.release(job);
      }
    }
    const node = startNode(clock, await queueOf(1), new SlowStore(clock), () => true);
    await begin(node);
    await clock.advance(1000);
    const [waiting] = await node.redriveJobs.list();
    expect(waiting).toMatchObject({ state: 'running', sent: 1, remaining: 0, endedAt: 0 });
    free();
    await clock.advance(0);
    const [ended] = await node.redriveJobs.list();
    expect(ended).toMatchObject({ state: 'done', sent: 1 });
    expect(ended?.endedAt).not.toBe(0);
    await expect(begin(node)).resolves.toMatchObject({ matched: 0 });
  });
});

describe('jobs above four of a node', () => {
  const statesOf = async (node: TestNode): Promise<readonly string[]> =>
    (await node.redriveJobs.list()).map(({ state }) => state).reverse();

  it('are queued: the next one begins when another ends, and a stop ends one that has not begun', async () => {
    const clock = new ManualClock();
    const node = startNode(clock, await queueOf(14), new MemoryJobStore(clock), () => true);
    const [first, , , , fifth, sixth, seventh] = await beginMany(node, 7);
    const running = ['running', 'running', 'running', 'running'];
    expect(await statesOf(node)).toEqual([...running, 'queued', 'queued', 'queued']);
    expect(node.redriveJobs.running).toBe(4);
    await clock.advance(1000);
    expect(node.sends).toEqual(['n0', 'n2', 'n4', 'n6']);
    await node.redriveJobs.stop(sixth?.id ?? '');
    expect(await endOf(clock, node, sixth?.id ?? '')).toMatchObject({
      state: 'stopped',
      remaining: 2,
      ranMs: 0,
    });
    await node.redriveJobs.stop(first?.id ?? '');
    await endOf(clock, node, first?.id ?? '');
    await clock.advance(1000);
    expect(await statesOf(node)).toEqual([
      'stopped',
      'running',
      'running',
      'running',
      'running',
      'stopped',
      'queued',
    ]);
    for (const { id } of [fifth, seventh].filter(job => job !== undefined))
      expect(await endOf(clock, node, id)).toMatchObject({ state: 'done', sent: 2 });
    expect(new Set(node.sends).size).toBe(node.sends.length);
  });

  it('hold their sink while they wait', async () => {
    const clock = new ManualClock();
    const node = startNode(clock, await queueOf(10), new MemoryJobStore(clock), () => true);
    const queued = (await beginMany(node, 5)).at(-1);
    await expect(
      node.redriveJobs.start({ ...OPTIONS, sink: queued?.sink ?? '', letters: [], startedBy: 'ann' }),
    ).rejects.toThrow(`job ${queued?.id} sends letters of hook-4 already`);
  });
});

describe('a job that nodes share', () => {
  let server: RedisServer;
  let connection: SharedConnection;
  beforeAll(async () => {
    server = await RedisServer.start();
    connection = await connectSharedStore({ address: server.address, keyPrefix: 'jobs' });
  });
  afterAll(async () => {
    await connection.close();
    await server.stop();
  });

  it('goes on at another node when its own died, and sends nothing twice', async () => {
    const queue = await queueOf(12);
    const [first, second] = [new ManualClock(), new ManualClock()];
    // The third letter arrives; then the node is gone before it notes that.
    const dead = startNode(first, queue, new RedisJobStore(connection.store), body =>
      body === 'n2' ? new Promise(() => {}) : true,
    );
    const other = startNode(second, queue, new RedisJobStore(connection.store), () => true);
    const { id } = await begin(dead, { perSecond: 1000 });
    await expect
      .poll(async () => {
        await first.advance(10);
        return dead.sends.length;
      }, WITHIN)
      .toBe(3);
    expect((await other.redriveJobs.list())[0]).toMatchObject({ id, state: 'running' });
    await expect(other.redriveJobs.resume(id)).rejects.toThrow(`job ${id} is running, not interrupted`);
    await first.advance(5000);
    await expect.poll(async () => (await other.redriveJobs.list())[0]?.sent, WITHIN).toBe(2);
    // Its hold of the sink ends without a sign of life.
    await server.command('DEL', 'jobs:dlqjobsink:hook');
    expect((await other.redriveJobs.list())[0]).toMatchObject({ state: 'interrupted', remaining: 9 });
    expect(await other.redriveJobs.resume(id)).toMatchObject({ state: 'running', skipped: 1 });
    await expect
      .poll(async () => {
        await second.advance(10);
        return (await other.redriveJobs.list())[0]?.state;
      }, WITHIN)
      .toBe('done');
    expect(other.sends).toEqual(Array.from({ length: 9 }, (_, index) => `n${index + 3}`));
    expect((await other.redriveJobs.list())[0]).toMatchObject({ sent: 11, parked: 0, skipped: 1 });
  });

  it('is stopped from another node while it is queued, and goes on there when its node died', async () => {
    const queue = await queueOf(12);
    const [first, second] = [new ManualClock(), new ManualClock()];
    const node = startNode(first, queue, new RedisJobStore(connection.store), () => true);
    const other = startNode(second, queue, new RedisJobStore(connection.store), () => true);
    const jobs = await beginMany(node, 6);
    const [fifth, sixth] = jobs.slice(4) as [ListedJob, ListedJob]; // six were begun
    const stateOf = async (id: string) => (await other.redriveJobs.list()).find(job => job.id === id)?.state;
    expect([await stateOf(fifth.id), await stateOf(sixth.id)]).toEqual(['queued', 'queued']);
    await other.redriveJobs.stop(fifth.id);
    await expect
      .poll(async () => {
        await first.advance(500);
        return stateOf(fifth.id);
      }, WITHIN)
      .toBe('stopped');
    // The first node dies: its hold of the sink ends.
    await server.command('DEL', `jobs:dlqjobsink:${sixth.sink}`);
    expect(await stateOf(sixth.id)).toBe('interrupted');
    expect(await other.redriveJobs.resume(sixth.id)).toMatchObject({
      state: 'running',
      skipped: 0,
      remaining: 2,
    });
    await expect
      .poll(async () => {
        await second.advance(10_000);
        return stateOf(sixth.id);
      }, WITHIN)
      .toBe('done');
    expect(other.sends).toEqual(['n10', 'n11']);
    for (const { id } of jobs.slice(0, 4)) await node.redriveJobs.stop(id);
    await expect
      .poll(async () => {
        await first.advance(1000);
        return Promise.all(jobs.slice(0, 4).map(({ id }) => stateOf(id)));
      }, WITHIN)
      .toEqual(['stopped', 'stopped', 'stopped', 'stopped']);
  });

  it('is stopped from another node', async () => {
    const queue = await queueOf(12);
    const clock = new ManualClock();
    const node = startNode(clock, queue, new RedisJobStore(connection.store), () => true);
    const other = startNode(clock, queue, new RedisJobStore(connection.store), () => true);
    const { id } = await begin(node, { perSecond: 1 });
    await other.redriveJobs.stop(id);
    await expect
      .poll(async () => {
        await clock.advance(1000);
        return (await other.redriveJobs.list()).find(job => job.id === id)?.state;
      }, WITHIN)
      .toBe('stopped');
    expect(node.sends.length).toBeLessThanOrEqual(1);
  });
});
