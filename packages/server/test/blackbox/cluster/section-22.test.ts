import { eventually, RoundRobinProxy } from '@msg/testkit';
import { type RunningStore, startTopology, TOPOLOGIES } from '@msg/testkit/redis';
import { Centrifuge, type PublicationContext } from 'centrifuge';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type ClusterNode, readiness, startNodes } from '../../support/cluster.ts';
import { codeOf, received } from '../../support/stock-client.ts';

const WAIT_MS = 60_000;
const TEST_MS = 180_000;
const CHANNEL = 'private:pair.protocol.1';

describe.each(TOPOLOGIES)('client protocol 22 with two processes on %s', topology => {
  let store: RunningStore;
  let nodes: ClusterNode[];
  let proxy: RoundRobinProxy;
  let token: string;
  const clients: Centrifuge[] = [];

  beforeAll(async () => {
    store = await startTopology(topology);
    nodes = await startNodes(2, store.address, 'protocol');
    proxy = await RoundRobinProxy.start(nodes.map(({ url }) => url));
    proxy.probe('/readyz');
    const request = { name: CHANNEL, ttl_seconds: 3000, subject: 'u-1' };
    token = String((await nodes[0]?.rpc('CreatePrivate', request))?.body['access_token']);
  }, TEST_MS);
  afterEach(() => {
    for (const client of clients.splice(0)) client.disconnect();
  });
  afterAll(async () => {
    await proxy.stop();
    await Promise.all(nodes.map(node => node.stop()));
    await store.stop();
  }, TEST_MS);

  /** A stock client, subscribed; what it received, and what ended its connections and subscriptions. */
  async function listener(url: string) {
    const client = new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`, {
      websocket: WebSocket,
      token,
      minReconnectDelay: 20,
      maxReconnectDelay: 500,
    });
    clients.push(client);
    client.on('error', () => {}); // the test looks at what arrives
    const subscription = client.newSubscription(CHANNEL, {
      minResubscribeDelay: 20,
      maxResubscribeDelay: 500,
    });
    const publications: PublicationContext[] = received(subscription);
    const codes: number[] = [];
    const unrecovered: unknown[] = [];
    client.on('connecting', ({ code }) => codes.push(code));
    subscription.on('unsubscribed', ({ code }) => codes.push(code));
    subscription.on('subscribed', context => {
      if (context.wasRecovering && !context.recovered) unrecovered.push(context);
    });
    subscription.subscribe();
    client.connect();
    await subscription.ready(WAIT_MS);
    codes.length = 0;
    const numbers = (): unknown[] => publications.map(({ data }) => data.n);
    return { subscription, numbers, codes, unrecovered };
  }

  test(
    'line 26: while the store is away publishes fail with 100 and subscriptions survive; then nothing is missing',
    async () => {
      const listeners = await Promise.all(nodes.map(({ url }) => listener(url)));
      const [{ subscription }] = listeners as [(typeof listeners)[number]];
      let sent = 0;
      const publish = async (): Promise<number | 'ok'> => {
        const outcome = await codeOf(subscription.publish({ n: sent }));
        if (outcome === 'ok') sent++;
        return outcome;
      };
      while (sent < 5) expect(await publish()).toBe('ok');
      const told = (): number => Math.min(...listeners.map(({ numbers }) => numbers().length));
      await eventually('the first arrive', () => told() === 5, WAIT_MS);
      await store.crash();
      expect(await publish()).toBe(100);
      await store.recover();
      await eventually('publishing works again', async () => (await publish()) === 'ok', WAIT_MS);
      while (sent < 10) expect(await publish()).toBe('ok');
      for (const { subscription, numbers, codes, unrecovered } of listeners) {
        await eventually('the rest arrives', () => numbers().at(-1) === sent - 1, WAIT_MS);
        // What failed may have been carried out: once more, right before its repetition.
        expect([...new Set(numbers())]).toEqual(Array.from({ length: sent }, (_, n) => n));
        expect({ unrecovered, codes }).toEqual({ unrecovered: [], codes: [] });
        expect(subscription.state).toBe('subscribed');
      }
    },
    TEST_MS,
  );

  test(
    'line 25: a node that is told to end sends everybody elsewhere with 3001, where they recover',
    async () => {
      // A node that is red gets nobody, and the three that are to leave would be six.
      for (const { url } of nodes) {
        const isReady = async () => (await readiness(url)).body.ready;
        await eventually('the outage is over for this node', isReady, WAIT_MS);
      }
      await eventually('the balancer knows', () => proxy.readyBackends === nodes.length, WAIT_MS);
      const listeners = await Promise.all(Array.from({ length: 6 }, () => listener(proxy.url)));
      const [leaving, staying] = nodes as [ClusterNode, ClusterNode];
      leaving.kill('SIGTERM');
      for (let n = 0; n < 20; n++) {
        const data = Buffer.from(JSON.stringify({ n })).toString('base64');
        expect((await staying.rpc('Publish', { name: CHANNEL, data })).status).toBe(200);
      }
      expect(await leaving.exited()).toMatchObject({ code: 0 });
      const moved = listeners.filter(({ codes }) => codes.length > 0);
      expect(moved).toHaveLength(3);
      for (const { codes } of moved) expect(codes[0]).toBe(3001);
      for (const { numbers, unrecovered } of listeners) {
        await eventually('everything arrives', () => numbers().length >= 20, WAIT_MS);
        expect(numbers()).toEqual(Array.from({ length: 20 }, (_, n) => n));
        expect(unrecovered).toEqual([]);
      }
    },
    TEST_MS,
  );
});
