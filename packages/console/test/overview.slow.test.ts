// What the overview says when something is wrong, beside the mock-up: first what to look at, then the figures.
import { WebhookReceiver } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

const hook = new WebhookReceiver({ status: 503 });
let destination: string;
let service: Service;
let visit: Visit;

beforeAll(async () => {
  destination = await hook.listen();
  service = await Service.configured(
    `sinks:\n  orders: { kind: webhook, url: "${destination}/hook" }\nsink_retry: { max_attempts: 1 }\n`,
    ['--private-sink-urls'],
  );
  await service.fill('public:shop.old');
  await service.rpc.call('CloseChannel', { name: 'public:shop.old' });
  await service.rpc.call('CloseChannel', { name: 'public:shop.none' }).catch(() => {});
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
  await hook.close();
});

it('a hint stands first, with its value, its threshold, where to look and its runbook', async () => {
  const hint = visit.page.locator('.hints li', { hasText: 'Sinks fail' }).first();
  let order = 0;
  // What failed before the page asked for the first time is not of its minute.
  await visit.until('the hint', async () => {
    await service.park('orders', `${destination}/${order}`, { order: order++ });
    return (await hint.count()) > 0;
  });
  expect(await hint.locator('.state').textContent()).toBe('Warning');
  expect(await hint.textContent()).toContain('Sends that fail: 100 %. Threshold: 50 %.');
  const runbook = hint.getByRole('link', { name: 'Runbook' });
  expect(await runbook.getAttribute('href')).toMatch(/docs\/monitoring\.md#msgsinkfailing$/);
  const places: readonly string[] = await visit.page.evaluate(
    `[...document.querySelectorAll('#content .panel h2, #content .tiles')].map(one => one.id || one.className)`,
  );
  expect(places).toEqual(['hints', 'tiles', 'deliveries', 'sinks', 'nodes', 'last-actions']);
  for (const look of LOOKS) {
    await visit.resize(look);
    expect([await visit.sideways(), await visit.axeFaults()]).toEqual([0, []]);
  }
  await visit.resize();
  const tile = visit.page.locator('.tile', { hasText: 'Dead letters' });
  await visit.until('a rise', async () => ((await tile.getAttribute('class')) ?? '').includes('bad'));
  await hint.getByRole('link', { name: 'Show sinks' }).click();
  await visit.page.getByRole('heading', { name: 'Sinks', level: 1 }).waitFor();
});

it('the last actions are sentences: what was done, and what was tried', async () => {
  await visit.open('');
  const row = (text: string) => visit.page.locator('tr', { hasText: text }).first();
  await row('Closed public:shop.old').getByText('Done').waitFor();
  await row('Tried to close public:shop.none').getByText('MSG_CHANNEL_NOT_FOUND').waitFor();
});

it('how the service is set up stands above its settings', async () => {
  await visit.open('configuration');
  const facts = visit.page.locator('section[aria-labelledby="service"]');
  await facts.getByText('Identity provider').waitFor();
  expect(await facts.locator('.cmd code').textContent()).toBe('msg manifest');
});
