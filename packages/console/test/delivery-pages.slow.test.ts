import { WebhookReceiver } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

const hook = new WebhookReceiver({ status: 503 });
let service: Service;
let bare: Service;
let visit: Visit;
let letter = '';

beforeAll(async () => {
  const destination = await hook.listen();
  service = await Service.configured(
    `sinks:\n  orders: { kind: webhook, url: "${destination}/hook" }\n  spare: { kind: webhook, url: "${destination}/spare" }\nsink_retry: { max_attempts: 1 }\n`,
    ['--private-sink-urls'],
  );
  bare = await Service.start();
  for (let order = 0; order < 60; order++) {
    hook.behaviour = { status: order < 40 ? 503 : 404 };
    await service.park('orders', `${destination}/u-${order}`, { order });
  }
  const [first, second] = (await service.rpc.call('DlqList', { sink: 'orders', limit: 2 })).items;
  letter = first?.id ?? '';
  hook.behaviour = { status: 200 };
  await service.rpc.call('DlqRedrive', { sink: 'orders', ids: [second?.id ?? ''] });
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
}, 120_000);
afterAll(async () => {
  await visit.stop();
  await service.stop();
  await bare.stop();
  await hook.close();
});

const PAGES: readonly (readonly [path: () => string, text: string])[] = [
  [() => 'dead-letters', '2 groups by error'],
  [() => `dead-letters/orders?open=${letter}`, 'Send now'],
  [() => 'dead-letters/orders?open=gone', 'MSG_SINK_DLQ_NOT_FOUND'],
  [() => 'dead-letters/orders?q=nothing-has-this', 'No letter matches'],
  [() => 'dead-letters/spare', 'No dead letter'],
];

describe.each(LOOKS)('at %o', look => {
  it.each(PAGES)('page %#, with the text %s', async (path, text) => {
    expect(await visit.faultsOf(path(), text, look)).toEqual([]);
  });
});

it('dialogs are accessible in both themes', async () => {
  for (const dark of [false, true]) {
    await visit.open(`dead-letters/orders?open=${letter}`, { dark });
    for (const name of [/^Redrive all/, /^Redrive…/, /^Discard…/, /^Edit…/]) {
      await visit.button(name).click();
      await visit.page.locator('dialog[open]').waitFor();
      expect(await visit.axeFaults()).toEqual([]);
      await visit.page.keyboard.press('Escape');
      await visit.page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
  }
});

it('a service without sinks says how there would be some', async () => {
  const other = await Visit.start(bare.server.url);
  try {
    await other.signIn(bare.server.token);
    for (const look of LOOKS)
      expect(await other.faultsOf('dead-letters', 'This service has no sink', look)).toEqual([]);
  } finally {
    await other.stop();
  }
});
