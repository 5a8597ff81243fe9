import type { Policy } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { systemClock } from '@msg/foundation/clock';
import type { Encoding } from '@msg/protocol';
import { openRedis } from '@msg/redis';
import { eventually, type RawClient } from '@msg/testkit';
import { freshPrefix, type RunningStore, startTopology, TOPOLOGIES } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DeltaReader } from '../delta-reader.ts';
import { Harness, OPEN_POLICY } from '../harness.ts';
import { RECOVERY_TABLE } from '../recovery-table.ts';
import { CountingBroker } from '../stock/counting.ts';

const WAIT_MS = 60_000;
const TEST_MS = 180_000;
const START_MS = 120_000;
/** The position check is the only one to find a loss, or does not interfere. */
const CHECKED = { presenceMs: 300, positionCheckMs: 100, positionRecheckMs: 100 };

interface TestNode {
  readonly harness: Harness;
  readonly broker: CountingBroker;
}

describe.each(TOPOLOGIES)('client protocol 22 with two nodes on %s', topology => {
  let store: RunningStore;
  let prefix: string;
  const running: { stop(): Promise<void> }[] = [];

  beforeAll(async () => {
    store = await startTopology(topology);
  }, START_MS);
  afterEach(async () => {
    await Promise.all(running.splice(0).map(node => node.stop()));
  }, TEST_MS);
  afterAll(() => store.stop());

  async function startNode(options: Parameters<typeof Harness.start>[0] = {}): Promise<TestNode> {
    const connection = await openRedis({ address: store.address });
    const backends = redisBackends([connection], { prefix });
    const broker = new CountingBroker(backends.broker);
    const harness = await Harness.start({ ...backends, clock: systemClock, ...options, broker });
    running.push({ stop: () => harness.stop().finally(() => connection.close()) });
    return { harness, broker };
  }

  /** One to publish on and one to listen on. */
  function startNodes(options?: Parameters<typeof Harness.start>[0]): Promise<[TestNode, TestNode]> {
    prefix = freshPrefix();
    return Promise.all([startNode(options), startNode(options)]);
  }

  async function subscribed(harness: Harness, encoding: Encoding, request: object = {}) {
    const client = await harness.connected({ encoding });
    const { subscribe } = await client.request({ subscribe: { channel: 'news', ...request } });
    return { client, epoch: subscribe?.epoch ?? '' };
  }

  const recover = async (client: RawClient, offset: number, epoch: string) =>
    (await client.request({ subscribe: { channel: 'news', recover: true, offset, epoch } })).subscribe;
  const ended = async (client: RawClient) =>
    (await client.push(push => push.unsubscribe !== null, WAIT_MS)).unsubscribe?.code;

  describe.each<Encoding>(['json', 'protobuf'])('%s', encoding => {
    it(
      'line 11: recovers as table 11.3 says, every row',
      async () => {
        const row = (channel: string) => RECOVERY_TABLE[Number(channel)] as (typeof RECOVERY_TABLE)[number];
        const policy: Policy = {
          ...OPEN_POLICY,
          subscribe: (_client, { channel }) => ({ recovery: row(channel).mode }),
          streamOptions: channel => ({ size: 10, ttlMs: row(channel).ttl * 1000 }),
        };
        const [near, far] = await startNodes({ policy });
        await Promise.all(
          [...RECOVERY_TABLE.entries()].map(
            async ([index, { limit, published, offset, wait, ...wanted }]) => {
              const channel = String(index);
              const { epoch } = await near.harness.node.history(channel, { limit: 0 });
              for (let n = 1; n <= published; n++) await near.harness.publish(channel, String(n));
              const length = async () =>
                (await near.harness.node.history(channel, { limit: -1 })).publications.length;
              if (wait > 0)
                await eventually('the stream expires', async () => (await length()) === 0, WAIT_MS);
              const node = limit === 0 ? far : await startNode({ policy, limits: { recoveryItems: limit } });
              const client = await node.harness.connected({ encoding });
              const { subscribe } = await client.request({
                subscribe: { channel, recover: true, offset, epoch },
              });
              const { recovered } = wanted;
              expect([index, subscribe?.recovered, subscribe?.wasRecovering]).toEqual([
                index,
                recovered,
                true,
              ]);
              expect(subscribe?.offset).toBe(recovered ? offset : published);
              const expected = Array.from(
                { length: wanted.count },
                (_, n) => published - wanted.count + 1 + n,
              );
              expect(subscribe?.publications.map(publication => publication.offset)).toEqual(expected);
              await near.harness.publish(channel, '"next"');
              expect((await client.push(undefined, WAIT_MS)).pub?.offset).toBe(published + 1);
            },
          ),
        );
      },
      TEST_MS,
    );

    it.each([
      ['the next publication', {}],
      ['the position check', CHECKED],
    ])(
      'line 13: a message lost on its way is found by %s, and recovered',
      async (by, limits) => {
        const [near, far] = await startNodes({ limits });
        const { client, epoch } = await subscribed(far.harness, encoding);
        await near.harness.publish('news', '1');
        expect((await client.push(undefined, WAIT_MS)).pub?.offset).toBe(1);
        far.broker.dropDeliveries = true;
        await far.harness.publish('news', '2');
        far.broker.dropDeliveries = false;
        if (by === 'the next publication') await near.harness.publish('news', '3');
        expect(await ended(client)).toBe(2500);
        const result = await recover(client, 1, epoch);
        expect(result?.recovered).toBe(true);
        expect(result?.publications[0]?.offset).toBe(2);
      },
      TEST_MS,
    );

    it(
      'line 14: a flushed store ends subscriptions with 2500, then nothing is recovered',
      async () => {
        const [near, far] = await startNodes({ limits: CHECKED });
        const { client, epoch } = await subscribed(far.harness, encoding);
        await near.harness.publish('news', '1');
        expect((await client.push(undefined, WAIT_MS)).pub?.offset).toBe(1);
        for (const master of store.masters) await master.command('FLUSHALL');
        expect(await ended(client)).toBe(2500);
        const result = await recover(client, 1, epoch);
        expect(result).toMatchObject({ recovered: false, wasRecovering: true });
        expect(result?.epoch).not.toBe(epoch);
      },
      TEST_MS,
    );

    it(
      'line 27: both publish and both deliver in order, with deltas; control reaches either',
      async () => {
        const policy = {
          ...OPEN_POLICY,
          connect: ({ token }: { readonly token: string }) => ({ user: token }),
          subscribe: () => ({ recovery: 'stream' as const, delta: true }),
        };
        const nodes = await startNodes({ policy });
        const clients = await Promise.all(
          nodes.map(async ({ harness }) => {
            const client = await harness.open({ encoding });
            await client.request({ connect: { token: 'ann' } });
            const { subscribe } = await client.request({ subscribe: { channel: 'news', delta: 'fossil' } });
            expect(subscribe?.delta).toBe(true);
            return client;
          }),
        );
        const text = (n: number) => JSON.stringify({ n, note: 'a steady payload that repeats itself' });
        for (let n = 1; n <= 20; n++)
          await nodes[n % 2]?.harness.node.publish('news', Buffer.from(text(n)), { delta: true });
        for (const client of clients) {
          const reader = new DeltaReader(encoding);
          for (let n = 1; n <= 20; n++) {
            const { pub } = await client.push(push => push.pub !== null, WAIT_MS);
            expect(pub?.offset).toBe(n);
            expect(pub !== null && reader.read(pub)).toBe(text(n));
          }
          expect(reader.patches).toBe(19);
        }
        const [near] = nodes;
        await near.harness.node.unsubscribeAll('news', { code: 2000, reason: 'server unsubscribe' });
        for (const client of clients) expect(await ended(client)).toBe(2000);
        await near.harness.node.disconnect({ user: 'ann' }, { code: 3501, reason: 'bad request' });
        for (const client of clients) expect((await client.closed(WAIT_MS)).code).toBe(3501);
      },
      TEST_MS,
    );
  });
});
