import { eventually, RoundRobinProxy } from '@msg/testkit';
import { type RunningStore, startTopology, TOPOLOGIES } from '@msg/testkit/redis';
import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ClusterNode, startNodes } from '../../support/cluster.ts';
import { received } from '../../support/stock-client.ts';

const WAIT_MS = 60_000;

describe.each(TOPOLOGIES)(
  'client protocol 22, line 20: a command that arrives at another node, %s',
  topology => {
    let store: RunningStore;
    let nodes: ClusterNode[];
    let proxy: RoundRobinProxy;

    beforeAll(async () => {
      store = await startTopology(topology);
      nodes = await startNodes(2, store.address, 'stream');
      proxy = await RoundRobinProxy.start(nodes.map(node => node.url));
    }, 120_000);
    afterAll(async () => {
      await proxy.stop();
      await Promise.all(nodes.map(node => node.stop()));
      await store.stop();
    });

    test('http_stream clients behind a round-robin proxy subscribe, receive and publish, whichever node holds their stream', async () => {
      const [first] = nodes as [ClusterNode];
      const name = 'private:stream.room.1';
      const { body } = await first.rpc('CreatePrivate', { name, ttl_seconds: 600, subject: 'u-1' });
      const token = String(body['access_token']);
      const endpoint = `${proxy.url}/connection/http_stream`;
      const clients = Array.from({ length: 4 }, () => {
        const client = new Centrifuge([{ transport: 'http_stream', endpoint }], {
          token,
          emulationEndpoint: `${proxy.url}/emulation`,
        });
        onTestFinished(() => client.disconnect());
        client.on('error', () => {}); // the test looks at what arrives
        const subscription = client.newSubscription(name);
        const publications = received(subscription);
        subscription.subscribe();
        client.connect();
        return { client, subscription, publications };
      });
      for (const { subscription } of clients) await subscription.ready(WAIT_MS);
      for (const node of nodes)
        expect((await node.rpc('Presence', { name })).body).toEqual({ subscribers: clients.length });
      for (const [from, { subscription }] of clients.entries()) await subscription.publish({ from });
      for (const { publications } of clients) {
        await eventually('all four arrive', () => publications.length === clients.length, WAIT_MS);
        expect(publications.map(({ offset, data }) => [offset, data.from])).toEqual([
          [1, 0],
          [2, 1],
          [3, 2],
          [4, 3],
        ]);
      }
    });
  },
);
