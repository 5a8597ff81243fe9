import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createRpcClient, type RpcResponse } from '@msg/core';
import { eventually, WebhookReceiver } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

const LIVE = 'public:shop.live';
const BRIEF = 'public:shop.brief';
const NOBODY = 'public:shop.nobody';
const PATIENT_MS = 120_000;
const SWEEP_MS = 1_000;

/** Every page that shows something of the service, with what its tabs watch. */
function pagesOf(client: string): readonly string[] {
  const tabs = [LIVE, BRIEF, NOBODY].flatMap(name =>
    ['open=1', 'tab=live', 'tab=presence', 'tab=who'].map(
      tab => `channels/${encodeURIComponent(name)}?${tab}`,
    ),
  );
  return [
    '',
    'channels?sort=subscribers',
    ...tabs,
    'connections',
    `connections/${client}`,
    'users',
    'users/u-1',
    'sinks',
    'dead-letters/orders',
    'tokens',
    'tokens?tab=api-keys',
    'keys',
    'schemas',
    'configuration',
    'configuration?tab=limits',
    'audit',
  ];
}

/** What is listed of the channels but those of live feeds, without the times. */
function listed({ channels }: RpcResponse<'ListChannels'>): readonly unknown[] {
  const others = channels.filter(({ name }) => !name.startsWith('private:msg.console.'));
  return others.map(({ name, state, visibility, ttl_seconds: ttl }) => [name, state, visibility, ttl]);
}

/** The channels that the metrics of a node count, by their labels. */
async function countedChannels({ server }: Service): Promise<readonly string[]> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return text
    .split('\n')
    .filter(line => line.startsWith('msg_channels_active{'))
    .toSorted();
}

/** Opens pages of a service, and returns what looks at all of them again. */
type Watch = (service: Service, client: string) => Promise<() => Promise<void>>;

/** Lets the same things happen to a service, and tells what came of them; `watch` opens pages on the way. */
async function outcomeOf(watch?: Watch): Promise<object> {
  const hook = new WebhookReceiver();
  const destination = await hook.listen();
  const service = await Service.configured(
    `sinks:
  orders: { kind: webhook, url: "${destination}/hook" }
manager: { sweep_interval: ${SWEEP_MS}ms }
channels:
  rules:
    - { pattern: "public:shop.**", presence: true, join_leave: true, history_size: 100, history_ttl: 1h }
`,
    ['--private-sink-urls'],
  );
  const { rpc } = service;
  const publish = (name: string, n: number) => rpc.call('Publish', { name, json: { n } });
  const send = (name: string) =>
    rpc.call('PublishOrSink', {
      name,
      data: new TextEncoder().encode(JSON.stringify(name)),
      sink: 'orders',
      recipient: { url: `${destination}/hook` },
      message: { subject: 'Your order', body: 'is on its way', metadata: new Map() },
    });
  try {
    for (const name of [LIVE, NOBODY]) await rpc.call('OpenPublic', { name });
    const connection = await service.connect(await service.accessOf('u-1', 'public:shop.**'));
    const seen: unknown[] = [];
    const subscription = connection.newSubscription(LIVE, { joinLeave: true });
    subscription.on('publication', ({ data, offset }) => seen.push(['publication', data, offset]));
    for (const event of ['join', 'leave'] as const)
      subscription.on(event, ({ info }) => seen.push([event, info.user]));
    subscription.subscribe();
    await subscription.ready(PATIENT_MS);
    const { client = '' } = (await rpc.call('ListConnections', { user: 'u-1' })).connections[0] ?? {};
    await publish(LIVE, 1);
    const look = await watch?.(service, client);
    await rpc.call('OpenPublic', { name: BRIEF, ttl_seconds: 5 });
    for (const name of [LIVE, NOBODY, BRIEF]) await publish(name, 2);
    const ways = [await send(LIVE), await send(NOBODY)].map(({ outcome, via }) => [outcome, via]);
    await hook.got(1);
    const lastActive = () =>
      Promise.all(
        [LIVE, NOBODY].map(async name => (await rpc.call('GetChannel', { name })).channel?.last_active),
      );
    // A node notes what happened to a channel in the background, before the next sweep.
    let before = await lastActive();
    await eventually(
      'two sweeps with the same times',
      async () => {
        const earlier = before;
        await pause(2 * SWEEP_MS);
        before = await lastActive();
        return isDeepStrictEqual(before, earlier);
      },
      PATIENT_MS,
    );
    await eventually(
      'the channel is closed by its time',
      async () => (await rpc.call('GetChannel', { name: BRIEF })).channel?.state === 'closed',
      PATIENT_MS,
    );
    await rpc.call('RetireKey', { id: (await rpc.call('GenerateKey', {})).id });
    await look?.();
    const clients = service.nodes.map(({ url }) =>
      createRpcClient({ server: url, token: service.server.token, fetch }),
    );
    const keys = await Promise.all(
      clients.flatMap(node => [node, node]).map(node => node.call('ListKeys', {})),
    );
    await eventually('the last publication', () => seen.some(row => JSON.stringify(row).includes(LIVE)));
    const each = <T>(read: (name: string) => Promise<T>) => Promise.all([LIVE, NOBODY, BRIEF].map(read));
    return {
      channels: listed(await rpc.call('ListChannels', {})),
      counted: await countedChannels(service),
      subscribers: await each(async name => (await rpc.call('Presence', { name })).subscribers),
      offsets: await each(async name => (await rpc.call('Position', { name })).offset),
      lasting: isDeepStrictEqual(before, await lastActive()),
      seen,
      ways,
      sent: hook.received.length,
      // Shown once, by the node that retired it.
      retiredKeys: keys.flatMap(answer => answer.keys.filter(({ role }) => role === 'retired')).length,
    };
  } finally {
    await service.stop();
    await hook.close();
  }
}

it('looking at every page changes nothing: a service with them open ends as one without', async () => {
  const visits: Visit[] = [];
  const watched = await outcomeOf(async (service, client) => {
    const visit = await Visit.start(service.server.url);
    visits.push(visit);
    await visit.signIn(await service.tokenOf('admin'));
    const tabs: Page[] = [];
    for (const path of pagesOf(client)) tabs.push(await visit.openBeside(path));
    return async () => void (await Promise.all(tabs.map(tab => tab.reload())));
  }).finally(() => Promise.all(visits.map(visit => visit.stop())));
  const alone = await outcomeOf();
  expect(alone).toMatchObject({
    subscribers: [1, 0, 0],
    ways: [
      ['published', 'channel'],
      ['sent', 'sink'],
    ],
    lasting: true,
    sent: 1,
    retiredKeys: 1,
  });
  expect(watched).toEqual(alone);
}, 240_000);
