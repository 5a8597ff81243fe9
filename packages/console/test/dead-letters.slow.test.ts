import { WebhookReceiver } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

const hook = new WebhookReceiver({ status: 503 });
let destination: string;
let service: Service;
let visit: Visit;

const EACH = { 503: 300, 404: 150, 410: 50 } as const;
const TOTAL = 500;

/** How often a letter arrived, by its number. */
function arrivals(): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { body } of hook.received) {
    const { order } = JSON.parse(JSON.parse(body).body) as { readonly order: number };
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  return counts;
}

const count = async (): Promise<number> => (await service.rpc.call('DlqCount', { sink: 'orders' })).count;

beforeAll(async () => {
  destination = await hook.listen();
  service = await Service.configured(
    `sinks:\n  orders: { kind: webhook, url: "${destination}/hook" }\n  spare: { kind: webhook, url: "${destination}/spare" }\nsink_retry: { max_attempts: 1 }\n`,
    ['--private-sink-urls'],
  );
  let order = 0;
  for (const [status, many] of Object.entries(EACH)) {
    hook.behaviour = { status: Number(status) };
    for (let left = many; left > 0; left--)
      await service.park('orders', `${destination}/u-${order}`, { order: order++ });
  }
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
}, 120_000);
afterAll(async () => {
  await visit.stop();
  await service.stop();
  await hook.close();
});

describe('500 dead letters in three groups', () => {
  it('are listed by what went wrong, searched, and paged; the address keeps all of it', async () => {
    await visit.open('');
    await visit.page.locator('#content').focus();
    await visit.page.keyboard.press('g');
    await visit.page.keyboard.press('d');
    await visit.sees('3 groups by error');
    await visit.sees('50 of 500, the newest first');
    await visit.button('Next page').click();
    await visit.until('a cursor', async () => visit.page.url().includes('cursor='));
    await visit.page.goBack();
    await visit.page.goForward();
    await visit.page.getByRole('link', { name: /404/ }).first().click();
    await visit.sees('150 in this group');
    await visit.page.getByRole('searchbox').fill('u-133');
    await visit.sees('1 of 1, the newest first');
    const shared = visit.page.url();
    await visit.page.goto(shared);
    await visit.sees('1 of 1, the newest first');
    await visit.page.getByRole('link', { name: /u-133/ }).click();
    await visit.sees('attempt 1');
    await visit.page.locator('.side-panel').getByText('133', { exact: true }).waitFor();
  });

  it('one is sent again: it fails and stays, then it arrives and is gone', async () => {
    hook.behaviour = { status: 503 };
    await visit.button('Send now').click();
    await visit.sees('The delivery failed again');
    hook.behaviour = { status: 200 };
    hook.received.length = 0;
    await visit.button('Send now').click();
    await visit.sees('Sent the letter.');
    expect([...arrivals()]).toEqual([[133, 1]]);
    expect(await count()).toBe(TOTAL - 1);
  });

  it('one is edited: the sink checks the recipient, and who did it stands in the letter', async () => {
    await visit.open('dead-letters/orders?q=u-9');
    await visit.page.getByRole('link', { name: /u-9$/ }).click();
    await visit.button('Edit…').click();
    await visit.page.locator('#edit-recipient').fill('{"url": 7}');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.button('Save letter').click();
    await visit.sees('MSG_SINK_RECIPIENT_DECODE');
    await visit.page.locator('#edit-recipient').fill(JSON.stringify({ url: `${destination}/u-edited` }));
    await visit.page.locator('#edit-body').fill('{"order":9000}');
    await visit.button('Save letter').click();
    await visit.sees('Saved the letter.');
    await visit.page.locator('.side-panel').getByText('u-edited').waitFor();
    await visit.page.locator('.side-panel li', { hasText: 'operator' }).waitFor();
  });

  it('one is discarded and brought back, and a group of fifty too', async () => {
    await visit.open('dead-letters/orders?q=u-7');
    await visit.page.getByRole('link', { name: /u-7$/ }).click();
    await visit.page.getByRole('button', { name: 'Discard', exact: true }).click();
    await visit.sees('Discarded 1 letter.');
    expect(await count()).toBe(TOTAL - 2);
    expect(await visit.axeFaults()).toEqual([]);
    await visit.button('Undo').click();
    await visit.sees('Brought back 1 letter.');
    expect(await count()).toBe(TOTAL - 1);
    await visit.open('dead-letters/orders');
    await visit.page.locator('tr', { hasText: '410 Gone' }).getByRole('button', { name: 'Discard…' }).click();
    expect(await visit.axeFaults()).toEqual([]);
    await visit.button('Discard 50 letters').click();
    await visit.sees('Discarded 50 letters.');
    expect(await count()).toBe(TOTAL - 51);
    await visit.button('Undo').click();
    await visit.sees('Brought back 50 letters.');
  });

  it('two are picked and discarded; more than fifty have to be typed', async () => {
    await visit.open('dead-letters/orders');
    await visit.page
      .locator('tr', { hasText: '503 Service Unavailable' })
      .getByRole('button', { name: 'Discard…' })
      .click();
    expect(await visit.page.getByRole('button', { name: /^Discard \d+ letters/ }).isDisabled()).toBe(true);
    await visit.page.keyboard.press('Escape');
    await visit.page
      .getByRole('checkbox', { name: /^Pick the letter/ })
      .nth(0)
      .check();
    await visit.page
      .getByRole('checkbox', { name: /^Pick the letter/ })
      .nth(1)
      .check();
    await visit.sees('2 selected');
    await visit.button('Discard 2').click();
    await visit.sees('Discarded 2 letters.');
    await visit.button('Undo').click();
    await visit.sees('Brought back 2 letters.');
    expect(await count()).toBe(TOTAL - 1);
  });

  it('a destination that is down gets a few, and the job trips', async () => {
    hook.behaviour = { status: 503 };
    hook.received.length = 0;
    await visit.open('dead-letters/orders');
    await visit.button('Redrive all 499…').click();
    const verb = visit.page.getByRole('button', { name: 'Redrive 499 letters' });
    expect(await verb.isDisabled()).toBe(true);
    await visit.button('Dry run').click();
    await visit.sees('499 letters now. The first:');
    await visit.page.locator('#redrive-rate').fill('100');
    await visit.sees('Takes about 5 s');
    await visit.page.locator('#redrive-failures').fill('3');
    await visit.page.locator('#confirm-typed').fill('499');
    await verb.click();
    await visit.sees('Tripped: too many failures in a row');
    expect(hook.received.length).toBeGreaterThanOrEqual(3);
    expect(hook.received.length).toBeLessThanOrEqual(3 + 4);
    expect(await count()).toBe(TOTAL - 1);
  });

  it('a job is stopped on the way, and the next one sends the rest: none arrives twice', async () => {
    hook.behaviour = { status: 200 };
    hook.received.length = 0;
    await visit.open('dead-letters/orders');
    await visit.button('Redrive all 499…').click();
    await visit.page.locator('#redrive-rate').fill('20');
    await visit.page.locator('#confirm-typed').fill('499');
    await visit.button('Redrive 499 letters').click();
    await visit.sees('Started the redrive of 499 letters.');
    await visit.page.locator('.job').getByText('Running').waitFor();
    expect(await visit.button(/^Redrive…/).getAttribute('title')).toBe('A redrive of orders is running');
    await visit.button('Stop').click();
    await visit.page.locator('.job').getByText('Stopped').waitFor();
    const left = await count();
    expect(left).toBe(TOTAL - 1 - hook.received.length);
    await visit.button(`Redrive all ${left}…`).click();
    await visit.page.locator('#redrive-rate').fill('500');
    await visit.page.locator('#confirm-typed').fill(String(left));
    await visit.button(`Redrive ${left} letters`).click();
    await visit.sees('No dead letter');
    const counts = arrivals();
    expect(counts.size).toBe(TOTAL - 1);
    expect(Math.max(...counts.values())).toBe(1);
  });

  it('and the audit names each act', async () => {
    const { records } = await service.rpc.call('AuditList', { via: 'console', limit: 100 });
    const methods = new Set(records.map(({ method }) => method));
    for (const method of ['DlqReplay', 'DlqUpdate', 'DlqDiscard', 'DlqRestore', 'DlqRedrive', 'DlqJobStop'])
      expect(methods).toContain(method);
  });
});

it('a viewer sees that there are letters, and no message', async () => {
  hook.behaviour = { status: 404 };
  await service.park('orders', `${destination}/secret-path`, { card: '4111-secret' });
  const viewer = await Visit.start(service.server.url);
  try {
    await viewer.signIn(await service.tokenOf('viewer'));
    await viewer.open('dead-letters/orders');
    await viewer.page.getByRole('link', { name: destination }).click();
    await viewer.sees('Viewers do not see messages.');
    for (const name of [/^Redrive…/, /^Send now/, /^Edit…/, /^Discard…/])
      expect(await viewer.button(name).getAttribute('aria-disabled')).toBe('true');
    expect(viewer.traffic.filter(text => /4111-secret|secret-path/.test(text))).toEqual([]);
  } finally {
    await viewer.stop();
  }
});

it('the navigation counts the letters, and the key . leads to the actions of a row', async () => {
  await visit.open('dead-letters/orders');
  await visit.sees('1 group by error');
  await visit.page.locator('.side .count', { hasText: /^1$/ }).waitFor();
  await visit.page.locator('#content').focus();
  await visit.page.keyboard.press('j');
  await visit.page.keyboard.press('.');
  expect(await visit.page.evaluate('document.activeElement?.textContent')).toBe('Redrive…');
});

it('by keyboard alone: a letter is opened, edited, and sent by a job', async () => {
  await visit.open('dead-letters/orders');
  await visit.sees('1 group by error');
  await visit.page.locator('#content').focus();
  await visit.tabTo(`${destination}/secret-path`);
  await visit.page.keyboard.press('Enter');
  await visit.sees('Send now');
  await visit.tabTo('Edit…');
  await visit.page.keyboard.press('Enter');
  await visit.page.locator('#edit-subject').waitFor();
  await visit.tabTo('Subject');
  await visit.page.keyboard.press('End');
  await visit.page.keyboard.type(', at last');
  await visit.page.keyboard.press('Enter');
  await visit.sees('Saved the letter.');
  hook.behaviour = { status: 200 };
  hook.received.length = 0;
  await visit.page.locator('#content').focus();
  await visit.tabTo('Redrive all 1…');
  await visit.page.keyboard.press('Enter');
  await visit.page.locator('#redrive-rate').waitFor();
  await visit.tabTo('Redrive 1 letter');
  await visit.page.keyboard.press('Enter');
  await visit.sees('No dead letter');
  expect(hook.received.map(({ body }) => JSON.parse(body).subject)).toEqual([
    'Your order is on its way, at last',
  ]);
  await visit.until('no count', async () => (await visit.page.locator('.side .count').count()) === 0);
});
