import { RealtimeNode } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { APPEND_CONTRACT, answerSurvey, BROKER_CONTRACT, RecordedEvents } from '@msg/engine/testing';
import { type ThreadBackends, threadBackends, threadHost } from '@msg/engine/threads';
import { systemClock } from '@msg/foundation/clock';
import { openRedis, type RedisStore } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChannelKeyNames } from '#src/broker/redis/keys.ts';
import type { ControlCommand, SurveyAnswer } from '#src/control/contract.ts';
import { Turns } from './turns.ts';

// Contracts wait, most of the time, for what expires: all are begun, and those with a turn compute.
vi.setConfig({ maxConcurrency: 1000 });
const turns = new Turns(2);

const CONTRACT_MS = 120_000;
const LONGEST_WAIT_MS = 10_000;
const HELLO = new TextEncoder().encode('hello');

let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(() => redis.stop());

let prefixes = 0;

/** A process on the store: main, and what its threads have. */
class Process {
  readonly store: RedisStore;
  readonly host: ReturnType<typeof threadHost>;
  readonly errors: unknown[] = [];
  readonly #threads: { readonly backends: ThreadBackends; readonly detach: () => Promise<void> }[] = [];

  private constructor(store: RedisStore, nodeId: string, prefix: string) {
    const onError = (error: unknown): void => void this.errors.push(error);
    this.store = store;
    const { delivery: _, ...backends } = redisBackends([store], { prefix, onError });
    this.host = threadHost({ ...backends, nodeId, onError });
  }

  static async open(nodeId: string, prefix: string): Promise<Process> {
    return new Process(await openRedis({ address: redis.address }), nodeId, prefix);
  }

  thread(number: number): ThreadBackends['backends'] {
    const attached = this.host.attach(number);
    const onError = (error: unknown): void => void this.errors.push(error);
    const backends = threadBackends(attached.link, { onError });
    this.#threads.push({ backends, detach: () => attached.detach() });
    return backends.backends;
  }

  async endThread(): Promise<void> {
    const thread = this.#threads.pop();
    thread?.backends.close();
    await thread?.detach();
  }

  async stop(): Promise<void> {
    while (this.#threads.length > 0) await this.endThread();
    await this.store.close();
  }
}

/** What takes longer than any timer of a node happens in the store alone: the claim of message `m` of channel `c` is older. */
async function passTime({ store }: Process, keys: ChannelKeyNames, ms: number): Promise<void> {
  if (ms <= LONGEST_WAIT_MS) return new Promise(resolve => setTimeout(resolve, ms));
  const done = `${keys.appends('c')[1]}m`;
  if ((await store.call('HEXISTS', done, 'xe')) === 1) await store.call('HINCRBY', done, 'xe', -ms);
}

describe('a thread of a process on a store keeps the contracts', () => {
  it.concurrent.each([...BROKER_CONTRACT, ...APPEND_CONTRACT])(
    'broker: $name',
    turns.each(async ({ holds }, done) => {
      const prefix = `threads-${++prefixes}`;
      const process = await Process.open('p', prefix);
      const { broker } = process.thread(1);
      const events = new RecordedEvents();
      await process.host.backends.broker.start(new RecordedEvents());
      await broker.start(events);
      for (const channel of ['a', 'b', 'c']) await broker.subscribe(channel);
      const keys = new ChannelKeyNames(prefix, { cluster: false, partitions: 0 });
      await holds({ broker, events, advance: ms => done(() => passTime(process, keys, ms)) });
      await process.endThread();
      await process.host.backends.broker.stop();
      await process.stop();
      expect(process.errors).toEqual([]);
    }),
    CONTRACT_MS,
  );
});

describe('processes with threads on one store', () => {
  interface Started {
    readonly control: ThreadBackends['backends']['control'];
    readonly id: string;
    readonly executed: ControlCommand[];
  }

  async function started({
    control,
    nodeId: id,
  }: Pick<ThreadBackends['backends'], 'control' | 'nodeId'>): Promise<Started> {
    const executed: ControlCommand[] = [];
    await control.start(id, {
      version: '1.2.3',
      execute: command => void executed.push(command),
      survey: (operation, data) => answerSurvey(id, operation, data),
    });
    return { control, id, executed };
  }

  const texts = (answers: ReadonlyMap<string, SurveyAnswer>): string[] =>
    [...answers.values()]
      .map(({ data }) => new TextDecoder().decode(data))
      .sort((a, b) => a.localeCompare(b));

  it(
    'survey each other with their threads, or one thread, and commands reach all',
    async () => {
      const prefix = `threads-${++prefixes}`;
      const [p, q] = [await Process.open('p', prefix), await Process.open('q', prefix)];
      const pMain = await started(p.host.backends);
      const pThreads = [await started(p.thread(1)), await started(p.thread(2))];
      const qMain = await started(q.host.backends);
      const qThread = await started(q.thread(1));
      // To other processes a process is one node; a thread knows its siblings, main and the other processes.
      await eventually('all know all', () =>
        [pMain, ...pThreads, qMain, qThread].every(
          ({ control }) => control.nodes().some(id => id === 'p') && control.nodes().some(id => id === 'q'),
        ),
      );
      expect([...qThread.control.nodes()].sort()).toEqual(['p', 'q', 'q/1.1']);
      for (const { control } of [pMain, ...pThreads, qMain, qThread])
        expect(texts(await control.survey('echo', HELLO))).toEqual(
          ['p', 'p/1.1', 'p/2.1', 'q', 'q/1.1'].map(id => `${id}:hello`).sort((a, b) => a.localeCompare(b)),
        );
      for (const { control } of [qMain, qThread]) {
        expect(
          [...(await control.survey('echo', HELLO, 'p/2.1'))].map(([id, { code }]) => [id, code]),
        ).toEqual([['p/2.1', 0]]);
        // A generation that has ended.
        expect((await control.survey('echo', HELLO, 'p/2.7')).get('p/2.7')?.code).toBe(404);
      }
      const command: ControlCommand = {
        kind: 'disconnect',
        target: { user: 'ada' },
        code: 4000,
        reason: 'x',
        except: [],
      };
      await qThread.control.broadcast(command);
      for (const { id, executed } of [pMain, ...pThreads, qMain])
        await eventually(`${id} executed it`, () => executed.length === 1);
      expect(qThread.executed).toEqual([]);
      // A process that leaves is gone for the threads, too.
      await qMain.control.stop();
      await eventually('it is gone', () => pThreads.every(({ control }) => !control.nodes().includes('q')));
      await q.stop();
      await pMain.control.stop();
      await p.stop();
    },
    CONTRACT_MS,
  );

  it(
    'fail an answer as a whole when a thread is silent',
    async () => {
      const prefix = `threads-${++prefixes}`;
      const [p, q] = [await Process.open('p', prefix), await Process.open('q', prefix)];
      await started(p.host.backends);
      const silent = p.thread(1);
      await silent.control.start(silent.nodeId, {
        version: '1.2.3',
        execute: () => {},
        survey: () => new Promise<SurveyAnswer>(() => {}),
      });
      const asker = await started(q.host.backends);
      await eventually('it knows the other', () => asker.control.nodes().includes('p'));
      const answers = await asker.control.survey('echo', HELLO);
      expect([answers.get('p')?.code, answers.get('p/1.1')?.code, answers.get('q')?.code]).toEqual([
        500, 500, 0,
      ]);
      await asker.control.stop();
      await p.host.backends.control.stop();
      await q.stop();
      await p.stop();
    },
    CONTRACT_MS,
  );

  it(
    'deliver to a subscriber of each thread',
    async () => {
      const prefix = `threads-${++prefixes}`;
      const policy = { connect: () => ({ user: '' }) };
      const [p, q] = [await Process.open('p', prefix), await Process.open('q', prefix)];
      const nodes = [p.host.backends, p.thread(1), p.thread(2), q.host.backends, q.thread(1)].map(
        backends => new RealtimeNode({ policy, ...backends, clock: systemClock }),
      );
      for (const node of nodes) await node.start();
      await Promise.all(nodes.map(node => node.publish('news', HELLO)));
      const { offset } = await (nodes[4] as RealtimeNode).publish('news', HELLO, {
        stream: { size: 10, ttlMs: 60_000 },
      });
      expect(offset).toBe(1);
      const { publications } = await (nodes[1] as RealtimeNode).history('news', { limit: -1 });
      expect(publications).toHaveLength(1);
      for (const node of nodes.toReversed()) await node.shutdown({ graceMs: 0 });
      await q.stop();
      await p.stop();
      expect([...p.errors, ...q.errors]).toEqual([]);
    },
    CONTRACT_MS,
  );
});
