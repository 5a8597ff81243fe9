import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

/** What only a shared store shows: the history of a stream that is lost, and clients of both nodes. */
process.env['MSG_TEST_CONSOLE_NODES'] = '2';
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const NAME = 'private:shop.order.7';
const at = encodeURIComponent(NAME);
let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.start();
  await service.rpc.call('CreatePrivate', { name: NAME });
  for (let n = 1; n <= 120; n++) await service.rpc.call('Publish', { name: NAME, json: { n } });
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

it('pages a history, jumps to an offset, and says that the stream is another one after the store lost it', async () => {
  await visit.open(`channels/${at}`);
  await visit.sees('71–120; kept from 21 to 120');
  await visit.button('Older').click();
  await visit.sees('21–70; kept from 21 to 120');
  await visit.page.getByRole('textbox', { name: 'Go to offset' }).fill('90');
  await visit.page.keyboard.press('Enter');
  await visit.sees('41–90; kept from 21 to 120');
  expect(visit.page.url()).toContain('from=90');
  await visit.button('Newest').click();
  await visit.sees('71–120; kept');
  await service.cluster?.store.command('FLUSHALL');
  // The sessions were in the store, too.
  await visit.page.locator('#token').waitFor();
  await service.rpc.call('CreatePrivate', { name: NAME });
  for (let n = 1; n <= 3; n++) await service.rpc.call('Publish', { name: NAME, json: { n } });
  await visit.page.locator('#token').fill(service.server.token);
  await visit.page.keyboard.press('Enter');
  await visit.sees('The stream was reset while this page was open');
  await visit.sees('1–3; kept from 1 to 3');
  expect(await visit.axeFaults()).toEqual([]);
});
