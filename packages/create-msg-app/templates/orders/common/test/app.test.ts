import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MsgClient } from '@msg/client';
import { startApp } from '../server/app.ts';
import { ORDER, STEPS, type Step } from '../shared/order.ts';

test('the customer sees every step of the order, also those of a lost connection', async t => {
  const app = await startApp({ port: 0 });
  t.after(() => app.stop());
  const post = async (path: string) => (await fetch(`${app.url}${path}`, { method: 'POST' })).json();
  const client = new MsgClient({ endpoint: app.url, getCredentials: () => post('/session') });
  t.after(() => client.disconnect());

  const seen: string[] = [];
  const order = client.typedSubscribe<Step>(ORDER);
  const delivered = new Promise<void>(resolve => {
    order.on('publication', ({ data }) => {
      seen.push(data.name);
      if (data.name === 'Delivered') resolve();
    });
  });
  order.subscribe();
  await Promise.all([client.connect(), order.ready()]);
  await post('/advance');
  client.raw().disconnect();
  for (const _ of STEPS.slice(1)) await post('/advance');
  client.raw().connect();
  await delivered;

  assert.deepEqual(seen, STEPS);
  assert.deepEqual(await post('/advance'), { done: true });
  const known = (await (await fetch(`${app.url}/order`)).json()) as Step[];
  assert.deepEqual(
    known.map(({ name }) => name),
    STEPS,
  );
});

test('who has no token is told nothing', async t => {
  const app = await startApp({ port: 0 });
  t.after(() => app.stop());
  const stranger = new MsgClient({ endpoint: app.url });
  t.after(() => stranger.disconnect());
  const order = stranger.newSubscription(ORDER);
  const refused = new Promise<number>(resolve => order.on('unsubscribed', ({ code }) => resolve(code)));
  order.subscribe();
  await stranger.connect();
  assert.equal(await refused, 103);
});
