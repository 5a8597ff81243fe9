import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { RedisServer } from '@msg/testkit/redis';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeadLetterQueue } from '#src/notify/dead-letters/contract.ts';
import type { JobStore } from '#src/notify/dead-letters/jobs/contract.ts';
import { MemoryJobStore } from '#src/notify/dead-letters/jobs/memory.ts';
import { RedisJobStore } from '#src/notify/dead-letters/jobs/redis/store.ts';
import { MemoryDeadLetterQueue } from '#src/notify/dead-letters/memory.ts';
import { RedisDeadLetterQueue } from '#src/notify/dead-letters/redis/queue.ts';
import { connectSharedStore, type SharedConnection } from '#src/stores/redis/connect.ts';
import { Life } from './support/life.ts';
import { begin, endOf, fill, startNode, type TestNode } from './support/node.ts';

const LETTERS = 8;
const ACTS = ['replay', 'discard', 'hide', 'restore', 'edit', 'stop', 'wait', 'begin', 'kill'] as const;
const UNDO_MS = 60_000;

const act = fc.record({ kind: fc.constantFrom(...ACTS), index: fc.nat(LETTERS - 1) });
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Stores for one run; `expire` is what the store does when a node gives no sign of life. */
interface World {
  readonly queue: () => DeadLetterQueue;
  readonly jobs: () => JobStore;
  /** Absent: everything ends with the node. */
  readonly expire?: (dead: Life) => Promise<void>;
}

interface Plan {
  readonly acts: readonly Act[];
  /** What the destination does with each letter. */
  readonly works: readonly boolean[];
  readonly concurrency: number;
}

/** Runs a plan, and looks at what was sent. */
async function run({ queue, jobs, expire }: World, clock: ManualClock, plan: Plan): Promise<void> {
  const { acts, works, concurrency } = plan;
  const own = await fill(queue(), LETTERS);
  const ids = (await own.list('hook', 0)).map(({ id }) => id).reverse();
  const sent: string[] = [];
  /** Letters in the air when their node died: nobody knows whether they arrived. */
  const unknown = new Set<string>();
  const edited = new Map<string, number>();
  const arrived = new Map<string, number[]>();
  const options = { concurrency, stopAfterFailures: 100 };
  let life = new Life();
  let node = start();
  const begun = new Set([(await begin(node, options)).id]);
  const replays: Promise<unknown>[] = [];
  for (const { kind, index } of acts) {
    const id = ids[index] ?? '';
    if (kind === 'wait') await clock.advance(900);
    if (kind === 'replay') replays.push(node.deadLetters.replay(id).catch(() => {}));
    if (kind === 'discard') await node.deadLetters.discard(id).catch(() => {});
    if (kind === 'hide') await node.deadLetters.discards.discard({ ids: [id] }, UNDO_MS);
    if (kind === 'restore') await node.deadLetters.discards.restore(ids);
    if (kind === 'edit') await edit(id, index);
    if (kind === 'stop') await node.redriveJobs.stop([...begun].at(-1) ?? '');
    if (kind === 'begin')
      await begin(node, options).then(
        job => begun.add(job.id),
        () => {},
      );
    if (kind === 'kill' && expire !== undefined) await kill(expire);
  }
  for (const id of begun) {
    const { matched, sent: sends, parked, skipped, remaining } = await endOf(clock, node, id);
    expect(sends + parked + skipped + remaining).toBe(matched);
  }
  if (expire === undefined) {
    await clock.advance(300_000);
    await Promise.all(replays);
  }
  expect(new Set(sent).size, 'a letter was sent twice').toBe(sent.length);
  for (const [id, versions] of arrived) {
    if (!unknown.has(id))
      expect(versions, 'it arrives once, as the last edit').toEqual([edited.get(id) ?? 0]);
  }

  function start(): TestNode {
    const current = life;
    const arrives = async (body: string): Promise<boolean> => {
      const [, index = '', version = '0'] = /^n(\d+)(?: v(\d+))?$/.exec(body) ?? [];
      const id = ids[Number(index)] ?? '';
      await new Promise<void>(resolve => void clock.setTimeout(resolve, 700));
      if (works[Number(index)] === false) return false;
      if (current.isDead) unknown.add(id);
      arrived.set(id, [...(arrived.get(id) ?? []), Number(version)]);
      return true;
    };
    const letters = current.queue(queue(), id => sent.push(id));
    return startNode(clock, letters, current.of(jobs()), arrives);
  }

  async function edit(id: string, index: number): Promise<void> {
    const version = (edited.get(id) ?? 0) + 1;
    const message = { subject: '', body: `n${index} v${version}`, metadata: {} };
    const done = await node.deadLetters.update(id, { message, by: 'ann' }).catch(() => undefined);
    if (done !== undefined) edited.set(id, version);
  }

  async function kill(forget: (dead: Life) => Promise<void>): Promise<void> {
    const dead = life;
    dead.isDead = true;
    for (const id of dead.held) unknown.add(id);
    await clock.advance(2000);
    await forget(dead);
    life = new Life();
    node = start();
    for (const { id, state } of await node.redriveJobs.list())
      if (state === 'interrupted') await node.redriveJobs.resume(id);
  }
}

const plans = fc.record({
  acts: fc.array(act, { maxLength: 30 }),
  works: fc.array(fc.boolean(), { minLength: LETTERS, maxLength: LETTERS }),
  concurrency: fc.integer({ min: 1, max: 6 }),
});

describe('whatever comes between, a letter is sent at most once', () => {
  it('on one node: replays, discards, edits, discards that are taken back, stops', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async plan => {
        const clock = new ManualClock();
        const [queue, jobs] = [
          new MemoryDeadLetterQueue(systemRandom, undefined, clock),
          new MemoryJobStore(clock),
        ];
        await run({ queue: () => queue, jobs: () => jobs }, clock, plan);
      }),
      { numRuns: 60 },
    );
  });

  describe('on nodes that share a store', () => {
    let server: RedisServer;
    let connection: SharedConnection;
    beforeAll(async () => {
      server = await RedisServer.start();
      connection = await connectSharedStore({ address: server.address, keyPrefix: 'model' });
    });
    afterAll(async () => {
      await connection.close();
      await server.stop();
    });

    it('the same, and nodes that die at any moment, whose jobs go on at another', async () => {
      const { store } = connection;
      await fc.assert(
        fc.asyncProperty(plans, async plan => {
          await server.command('FLUSHALL');
          const clock = new ManualClock();
          const queue = () =>
            new RedisDeadLetterQueue({ store, clock, random: systemRandom, onError: () => {} });
          // The store forgets what is not renewed: claims of letters, and the hold of a sink.
          const expire = async ({ held }: Life) => {
            for (const id of held) await server.command('DEL', `model:dlqclaim:${id}`);
            await server.command('DEL', 'model:dlqjobsink:hook');
          };
          await run({ queue, jobs: () => new RedisJobStore(store), expire }, clock, plan);
        }),
        { numRuns: 60 },
      );
    });
  });
});
