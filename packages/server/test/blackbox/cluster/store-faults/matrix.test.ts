import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@msg/testkit';
import { FaultProxy, RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ClusterNode, startNodes } from '../../../support/cluster.ts';
import { closeClients } from '../../../support/stock-client.ts';
import { STORE_FAULTS, type StoreFault } from './faults.ts';
import { type Published, Publisher } from './publisher.ts';
import { ReadinessLog } from './readiness-log.ts';
import { Subscriber } from './subscriber.ts';

const WAIT_MS = 60_000;
/** Publishes that are answered before a fault, and after it. */
const PUBLISHES = 20;
/** And during it. */
const PUBLISHES_DURING = 3;
/** Wider than everything that is published during a fault. */
const WINDOW = 10_000;
const SUBSCRIBERS_PER_NODE = 2;
/** Calls that write to the store besides Publish. */
const WRITES = [
  ['OpenPublic', { name: 'public:faults.other' }],
  ['RevokeToken', { token_id: 'j' }],
  ['GenerateKey', {}],
  ['CreatePrivate', { name: 'private:faults.other.1', subject: 'u', ttl_seconds: 60 }],
] as const;

describe('a store that is', () => {
  let redis: RedisServer;
  let proxy: FaultProxy;
  let nodes: ClusterNode[] = [];

  beforeAll(async () => {
    redis = await RedisServer.start({ persistent: true });
    proxy = await FaultProxy.start(redis);
    const config = join(redis.folder, 'msg.yaml');
    await writeFile(
      config,
      `channels:\n  - { pattern: "public:**", history_size: ${WINDOW}, history_ttl: 10m }\n`,
    );
    nodes = await startNodes(2, proxy.address, 'faults', { args: ['--config', config] });
  });
  afterEach(closeClients);
  afterAll(async () => {
    await Promise.all(nodes.map(node => node.stop()));
    await proxy.stop();
    await redis.stop();
  });

  /** Breaks the store and mends it again; `published` waits for that many answers. */
  async function pass(fault: StoreFault, name: string, published: (count: number) => Promise<void>) {
    const logs = nodes.map(({ url }) => new ReadinessLog(url));
    const all = (what: string, ready: boolean) =>
      eventually(what, () => logs.every(({ last }) => last?.ready === ready), WAIT_MS);
    try {
      await all('the nodes are ready', true);
      try {
        await fault.strike({ redis, proxy });
        if (fault.detail !== undefined) {
          await all('the nodes notice', false);
          await refusesWrites(fault);
        }
        await published(PUBLISHES_DURING);
      } finally {
        await fault.mend({ redis, proxy });
      }
      if (fault.losesData) await nodes[0]?.rpc('OpenPublic', { name });
      await all('the nodes are ready again', true);
      await published(PUBLISHES);
    } finally {
      await Promise.all(logs.map(log => log.stop()));
    }
    return logs.map(({ changes }) => changes);
  }

  async function refusesWrites({ refusal, refusesOnlyWrites = false }: StoreFault): Promise<void> {
    const answers = await Promise.all(
      WRITES.flatMap(([method, request]) => nodes.map(({ rpc }) => rpc(method, request))),
    );
    for (const { status, code, headers, body } of answers) {
      if (status === 503) {
        expect(code).toBe('MSG_BROKER_NOT_READY');
        expect(headers.get('retry-after')).toBe('1');
        expect(body['msg']).toMatch(/^the shared store /);
      } else expect([status, code, refusal]).toEqual([500, 'MSG_BROKER_INTERNAL', undefined]);
    }
    for (const { url, rpc } of nodes) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      // It writes nothing; but where the store cannot be read either, it is soon unknown whether the bearer was revoked.
      const { status, code } = await rpc('IssueMgmt', {});
      if (refusesOnlyWrites || status === 200) expect(status).toBe(200);
      else expect([status, code]).toEqual([503, 'MSG_BROKER_NOT_READY']);
    }
  }

  test.each(STORE_FAULTS.map(fault => [fault.name, fault] as const))(
    '%s',
    async (_, fault) => {
      const name = `public:faults.n${STORE_FAULTS.indexOf(fault)}`;
      const [first] = nodes;
      if (first === undefined) throw new Error('no node was started');
      expect((await first.rpc('OpenPublic', { name })).status).toBe(200);
      const subscribers = nodes.flatMap(({ websocketUrl }) =>
        Array.from({ length: SUBSCRIBERS_PER_NODE }, () => new Subscriber(websocketUrl, name)),
      );
      await Promise.all(subscribers.map(subscriber => subscriber.ready()));
      const publisher = new Publisher(first.rpc, name);
      const answered = (count: number) => {
        const goal = publisher.answers.length + count;
        return eventually(`${count} publishes are answered`, () => publisher.answers.length >= goal, WAIT_MS);
      };
      await answered(PUBLISHES);
      const changes = await pass(fault, name, answered).finally(() => publisher.stop());

      for (const seen of changes) {
        expect(seen.map(({ ready }) => ready)).toEqual(
          fault.detail === undefined ? [true] : [true, false, true],
        );
        if (fault.detail !== undefined) expect(seen[1]?.store).toMatch(fault.detail);
      }
      for (const answer of publisher.answers) expect(judged(answer, fault)).toBe('as specified');
      if (fault.refusal !== undefined) {
        const refusals = publisher.answers.filter(({ text }) => fault.refusal?.test(text));
        expect(refusals.length).toBeGreaterThan(0);
      }
      const last = publisher.acknowledged.at(-1) ?? -1;
      const arrived = () => subscribers.every(({ received }) => received.includes(last));
      await eventually('the last publication arrives everywhere', arrived, WAIT_MS);
      for (const subscriber of subscribers) check(subscriber, publisher, fault);
    },
    150_000,
  );
});

/** Whether an answer is one that the fault may lead to. */
function judged({ status, code, retryAfter }: Published, fault: StoreFault): string {
  if (status === 200) return 'as specified';
  if (status === 503 && code === 'MSG_BROKER_NOT_READY' && retryAfter === '1') return 'as specified';
  if (status === 500 && code === 'MSG_BROKER_INTERNAL' && fault.losesAnswers) return 'as specified';
  if (status === 404 && code === 'MSG_CHANNEL_NOT_FOUND' && fault.losesData) return 'as specified';
  return `${status} ${code} ${retryAfter}`;
}

/** What was acknowledged arrived once and in order, what was refused did not; or the loss was told. */
function check(
  { received, losses }: Subscriber,
  { answers, acknowledged }: Publisher,
  fault: StoreFault,
): void {
  const ascending = [...new Set(received)].sort((a, b) => a - b);
  expect(received, 'in order, nothing doubled').toEqual(ascending);
  const published = new Set(received);
  const refused = answers.filter(({ status }) => status === 503 || status === 404);
  expect(
    refused.filter(({ n }) => published.has(n)),
    'refused, and published all the same',
  ).toEqual([]);
  if (fault.losesData) {
    expect(losses, 'told of the loss').toBe(1);
    return;
  }
  expect(losses).toBe(0);
  expect(
    acknowledged.filter(n => !published.has(n)),
    'lost',
  ).toEqual([]);
}
