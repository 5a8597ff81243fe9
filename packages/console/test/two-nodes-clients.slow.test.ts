import { afterAll, beforeAll, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

/** What only a shared store shows: clients of both nodes. */
process.env['MSG_TEST_CONSOLE_NODES'] = '2';

const NAME = 'private:shop.order.7';
const at = encodeURIComponent(NAME);
let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.start();
  await service.rpc.call('CreatePrivate', { name: NAME });
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

it('says who may, by a token and by a connection of either node', async () => {
  const [allowed, other] = [await service.accessOf('u-1'), await service.accessOf('u-2', 'private:mail.**')];
  await visit.open(`channels/${at}?tab=who`);
  for (const [token, says] of [
    [allowed, 'It may subscribe'],
    [other, 'It may not subscribe'],
  ] as const) {
    await visit.page.locator('#who-token').fill(token);
    await visit.button('Explain').click();
    await visit.sees(says);
  }
  expect(visit.page.url()).not.toContain(allowed.slice(0, 20));
  for (const [index, node] of service.nodes.entries()) {
    const user = `u-of-${index}`;
    await service.connectTo(node, await service.accessOf(user));
    const { connections } = await service.rpc.call('ListConnections', { user });
    await visit.page.locator('#who-token').fill(connections[0]?.client ?? '');
    await visit.button('Explain').click();
    await visit.sees('It may subscribe');
  }
});

it('finds a user with connections at both nodes, and disconnects all of them', async () => {
  const codes: number[] = [];
  for (const node of service.nodes) {
    const client = await service.connectTo(node, await service.accessOf('u-5'), NAME);
    client.on('disconnected', ({ code }) => codes.push(code));
  }
  await visit.open('users?q=u-5');
  await visit.page.getByRole('link', { name: 'u-5' }).click();
  await visit.until('two connections', async () => (await visit.page.locator('tbody tr').count()) === 2);
  await visit.button('Disconnect everywhere…').click();
  await visit.page.locator('#confirm-typed').fill('u-5');
  await visit.button('Disconnect user').click();
  await visit.sees('Disconnected 2 connections.');
  await visit.until('the codes', async () => codes.join() === '3503,3503');
});

it('unsubscribes those of both nodes from a channel by its name', async () => {
  const codes: number[] = [];
  for (const node of service.nodes) {
    const client = await service.connectTo(node, await service.accessOf('u-6'), NAME);
    const subscription = client.getSubscription(NAME);
    subscription?.on('unsubscribed', ({ code }) => codes.push(code));
    await subscription?.ready(60_000);
  }
  await visit.open(`channels/${at}`);
  await visit.button('More actions').click();
  await visit.button('Unsubscribe all…').click();
  await visit.page.locator('#confirm-typed').fill(NAME);
  await visit.button(/^Unsubscribe 2/).click();
  await visit.sees('Unsubscribed 2 subscribers.');
  await visit.until('the codes', async () => codes.join() === '2000,2000');
});
