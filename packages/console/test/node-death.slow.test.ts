import { WebhookReceiver } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

/** Three nodes on a real Redis: two die while the console is open, and then the store is away. */
process.env['MSG_TEST_CONSOLE_NODES'] = '3';

const LETTERS = 60;
/** At most so many sends are under way when a node dies. */
const AT_ONCE = 4;
const hook = new WebhookReceiver({ status: 503 });
let service: Service;
let visit: Visit;

/** Kills the first node that has a metric above zero. */
async function killThatHas(metric: string): Promise<void> {
  for (const node of service.nodes) {
    const value = await service.metricOf(node, metric).catch(() => 0);
    if (value === 0) continue;
    node.kill('SIGKILL');
    await node.exited();
    return;
  }
  throw new Error(`no node has ${metric}`);
}

beforeAll(async () => {
  const destination = await hook.listen();
  service = await Service.configured(
    `sinks:\n  orders: { kind: webhook, url: "${destination}/hook" }\nsink_retry: { max_attempts: 1 }\n`,
    ['--private-sink-urls'],
  );
  service.cluster?.proxy.probe('/readyz');
  await service.fill('public:shop.news', '{"text":"Open on Sunday"}');
  for (let order = 0; order < LETTERS; order++)
    await service.park('orders', `${destination}/u-${order}`, { order });
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
  await hook.close();
});

it('a job whose node is killed is interrupted, goes on from the page, and sends no letter twice', async () => {
  hook.behaviour = { status: 200 };
  hook.received.length = 0;
  await visit.open('dead-letters/orders');
  await visit.button(`Redrive all ${LETTERS}…`).click();
  await visit.page.locator('#redrive-rate').fill('5');
  await visit.page.locator('#confirm-typed').fill(String(LETTERS));
  await visit.button(`Redrive ${LETTERS} letters`).click();
  await visit.page.locator('.job').getByText('Running').waitFor();
  await visit.until('some letters', async () => hook.received.length >= 5);
  await killThatHas('msg_dlq_jobs_running');
  await visit.page.locator('.job').getByText('Interrupted: its node died').waitFor();
  const before = hook.received.length;
  expect(before).toBeLessThan(LETTERS - AT_ONCE);
  expect(await visit.page.locator('.job .cmd code').first().textContent()).toContain('dlq redrive --resume');
  expect(await visit.axeFaults()).toEqual([]);
  await visit.button('Resume').click();
  await visit.page.locator('.job').getByText('Running').or(visit.page.getByText('No dead letter')).waitFor();
  await visit.until('the end of the job', async () => {
    const { jobs } = await service.rpc.call('DlqJobs', {});
    return jobs.every(({ state }) => state === 'done');
  });
  const sent = hook.received.map(({ body }) => JSON.parse(JSON.parse(body).body).order as number);
  expect(new Set(sent).size).toBe(sent.length);
  // Those that were under way keep the claim of the node that died until it ends.
  expect(sent.length).toBeGreaterThanOrEqual(LETTERS - AT_ONCE);
  const { records } = await service.rpc.call('AuditList', { method: 'DlqRedrive', via: 'console' });
  expect(records.map(({ outcome }) => outcome)).toContain('ok');
});

it('the death of the node of its feed signs nobody out: the tail says so, and a new one goes on', async () => {
  await visit.open('channels/public%3Ashop.news?tab=live');
  await visit.tails();
  await visit.until('the tail', async () => {
    await service.rpc.call('Publish', { name: 'public:shop.news', json: { text: 'before the death' } });
    return (await visit.page.getByText('before the death').count()) > 0;
  });
  await killThatHas('msg_console_tails');
  await visit.until('a tail at the node that is left', async () => {
    await service.rpc.call('Publish', { name: 'public:shop.news', json: { text: 'after the death' } });
    return (await visit.page.getByText('after the death').count()) > 0;
  });
  await visit.sees('The tail has ended: its node is gone');
  expect(await visit.page.locator('#token').count()).toBe(0);
  await visit.open('');
  await visit.sees('1 node');
});

it('while the store is away the page keeps what it has and says so; then it goes on, signed in', async () => {
  await visit.open('channels');
  await visit.sees('public:shop.news');
  await service.cluster?.store.kill();
  const stale = visit.page.getByText(/^Stale since/);
  await stale.waitFor();
  expect(await visit.page.getByText('public:shop.news').count()).toBeGreaterThan(0);
  expect(await visit.page.locator('#token').count()).toBe(0);
  await service.cluster?.store.restart();
  await stale.waitFor({ state: 'detached' });
  expect(await visit.page.locator('#token').count()).toBe(0);
  await visit.open('channels/public%3Ashop.news');
  await visit.button(/^Touch/).click();
  await visit.sees('Touched the channel');
});
