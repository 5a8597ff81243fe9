import { createRpcClient } from '@msg/core';
import { eventually } from '@msg/testkit';
import { Centrifuge } from 'centrifuge';
import { expect } from 'vitest';

const CHANNEL = 'public:packed.news';
const CLIENTS = 8;
const TOKEN_LINE = /bootstrap mgmt token[^\n]*\n([^\n]+)\n/;

/**
 * Both threads of a service serve: stock clients connect and subscribe, and all of them receive what another connection
 * publishes. `written` is the standard error of the service until it listens.
 */
export async function expectTwoThreads(port: number, written: string): Promise<void> {
  const server = `http://127.0.0.1:${port}`;
  const { payload } = (await (await fetch(`${server}/manifest`)).json()) as { payload: { threads: number } };
  expect(payload.threads).toBe(2);
  const token = TOKEN_LINE.exec(written)?.[1] ?? '';
  const rpc = createRpcClient({ server, token, fetch });
  await rpc.call('OpenPublic', { name: CHANNEL, ttl_seconds: 600 });
  const heard: unknown[][] = [];
  const clients = Array.from({ length: CLIENTS }, () => {
    const client = new Centrifuge(`ws://127.0.0.1:${port}/connection/websocket`);
    const subscription = client.newSubscription(CHANNEL);
    const publications: unknown[] = [];
    heard.push(publications);
    subscription.on('publication', ({ data }) => publications.push(data));
    subscription.subscribe();
    client.connect();
    return { client, subscription };
  });
  try {
    for (const { subscription } of clients) await subscription.ready(20_000);
    const data = Buffer.from('{"n":1}');
    await rpc.call('Publish', { name: CHANNEL, data, tags: new Map(), idempotency_key: '' });
    await eventually('all have it', () => heard.every(({ length }) => length > 0));
    expect(heard).toEqual(heard.map(() => [{ n: 1 }]));
    const metrics = await (await fetch(`${server}/metrics`)).text();
    const subscriptions = [...metrics.matchAll(/^msg_thread_subscriptions\{thread="\d+"\} (\d+)$/gm)];
    const counts = subscriptions.map(([, count]) => Number(count));
    expect([counts.length, counts.reduce((sum, count) => sum + count, 0)]).toEqual([2, CLIENTS]);
  } finally {
    for (const { client } of clients) client.disconnect();
  }
}
