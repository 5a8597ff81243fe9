import { METHODS, type RpcMethodName } from '@msg/core';
import { WebhookReceiver } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

/** What only those with the right to payloads may see. */
const SECRET = '4111-of-the-viewer';
const CHANNEL = 'public:shop.secret';
const hook = new WebhookReceiver({ status: 503 });
let service: Service;
let visit: Visit;
let pages: readonly string[] = [];

/** The text as it stands in JSON, and as its bytes stand in base64 at each offset, and in hex. */
function formsOf(text: string): readonly string[] {
  const shifted = [0, 1, 2].map(shift => Buffer.from(' '.repeat(shift) + text).toString('base64'));
  return [text, Buffer.from(text).toString('hex'), ...shifted.map(base64 => base64.slice(4, -4))];
}

beforeAll(async () => {
  const destination = await hook.listen();
  service = await Service.configured(
    `sinks:\n  orders: { kind: webhook, url: "${destination}/hook" }\nsink_retry: { max_attempts: 1 }\n`,
    ['--private-sink-urls'],
  );
  await service.fill(CHANNEL, JSON.stringify({ card: SECRET }), SECRET);
  await service.park('orders', `${destination}/${SECRET}`, { card: SECRET });
  await service.connect(await service.accessOf('u-9'), CHANNEL);
  const { client = '' } = (await service.rpc.call('ListConnections', { user: 'u-9' })).connections[0] ?? {};
  const { id = '' } = (await service.rpc.call('DlqList', { sink: 'orders', limit: 1 })).items[0] ?? {};
  const { kid = '' } = (await service.rpc.call('KeyUsage', {})).keys[0] ?? {};
  await service.rpc.call('RegisterSchema', {
    schema: { pattern: 'public:shop.order.{id}', aspects: { status: {} } },
  });
  const channel = `channels/${encodeURIComponent(CHANNEL)}`;
  pages = [
    '',
    'channels',
    `${channel}?open=1`,
    `${channel}?tab=live`,
    `${channel}?tab=presence`,
    `${channel}?tab=who`,
    'connections',
    `connections/${client}`,
    'users',
    'users/u-9',
    'sinks',
    `dead-letters/orders?open=${id}`,
    'tokens',
    'tokens?tab=api-keys',
    `keys?key=${kid}`,
    'schemas',
    'schemas/public%3Ashop.order.%7Bid%7D',
    'configuration',
    'configuration?tab=limits',
    'audit',
  ];
  visit = await Visit.start(service.server.url);
  await visit.signIn(await service.tokenOf('viewer'));
}, 120_000);
afterAll(async () => {
  await visit.stop();
  await service.stop();
  await hook.close();
});

/** Labels of buttons that lead to a change: those with a dialog, and those that act at once. */
const ACTS = /…$|^(?:Touch|Send now|Discard|Record|Promote key|Retire key|Stop|Resume redrive)\b/;

describe('a viewer', () => {
  it('is offered nothing on any page', async () => {
    for (const path of pages) {
      await visit.open(path);
      await visit.settles();
      const enabled = await visit.page
        .locator('#content button:not([aria-disabled="true"]):not(:disabled)')
        .allInnerTexts();
      expect([path, enabled.map(text => text.trim()).filter(text => ACTS.test(text))]).toEqual([path, []]);
    }
  });

  it('gets no payload, message or recipient in any answer', async () => {
    const live = `channels/${encodeURIComponent(CHANNEL)}?tab=live`;
    await visit.open(live);
    await visit.tails();
    await visit.until('a publication in the tail', async () => {
      await service.rpc.call('Publish', { name: CHANNEL, json: { card: SECRET } });
      return (await visit.page.getByText('hidden from viewers').count()) > 0;
    });
    expect(visit.traffic.filter(text => text.includes('"hidden":true')).length).toBeGreaterThan(0);
    const forms = formsOf(SECRET);
    expect(visit.traffic.filter(text => forms.some(form => text.includes(form)))).toEqual([]);
    expect(await visit.page.evaluate('document.documentElement.outerHTML')).not.toContain(SECRET);
  });

  it('can call no method that changes something', async () => {
    // A method without a role is for clients: it asks for a token of its own.
    const names = (Object.keys(METHODS) as RpcMethodName[]).filter(
      name => METHODS[name].rights.effect === 'write' && METHODS[name].rights.role !== null,
    );
    const strict = names.filter(name => METHODS[name].strict);
    expect(names.length).toBeGreaterThan(20);
    // Channels of feeds come and go with the pages before this one.
    const opened = async () =>
      (await service.rpc.call('ListChannels', {})).channels
        .map(({ name }) => name)
        .filter(name => !name.startsWith('private:msg.console.'))
        .toSorted();
    const before = await opened();
    const answers = await visit.page.evaluate(
      `Promise.all(${JSON.stringify(names)}.map(async name => {
        const headers = { 'content-type': 'application/json', 'x-msg-console': '1' };
        const isStrict = ${JSON.stringify(strict)}.includes(name);
        const body = JSON.stringify(isStrict ? {} : { name: 'public:shop.forged' });
        const answer = await fetch('twirp/msg.MsgService/' + name, { method: 'POST', headers, body });
        return [name, answer.status];
      }))`,
    );
    expect(answers).toEqual(names.map(name => [name, 403]));
    expect(await opened()).toEqual(before);
  });
});
