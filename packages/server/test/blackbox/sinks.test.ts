import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SIGNATURE_HEADER, verifyWebhook } from '@msg/server';
import { eventually, type MsgServer, runMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { hookServer, mailServer } from '../notify/sinks/support/servers.ts';
import { startNode } from '../support/cluster.ts';
import { configuredServer } from '../support/configured-server.ts';
import { temporaryFolder } from '../support/folders.ts';
import { manifestOf, rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { closeClients, outcome, received, stockClient } from '../support/stock-client.ts';

afterEach(closeClients);

const data = Buffer.from('"live"').toString('base64');

async function serverFor(yaml: string, env?: Record<string, string>): Promise<MsgServer> {
  const server = await configuredServer(yaml, env);
  onTestFinished(() => server.stop());
  return server;
}

describe('PublishOrSink', () => {
  test('publishes to subscribers and sends nothing; sends when there is no subscriber, whatever the channel is', async () => {
    const { server: hook, url } = await hookServer();
    const server = await serverFor(
      `sinks: { orders: { kind: webhook, url: "${url}" } }\nmanager: { sweep_interval: 20ms }\n`,
    );
    const rpc = rpcOf(server.url, server.token);
    const send = async (name: string) =>
      (await rpc('PublishOrSink', { name, data, sink: 'orders', message: { body: name } })).body;

    const client = stockClient(server.websocketUrl);
    const subscription = client.newSubscription('public:shop.order.7');
    const publications = received(subscription);
    await rpc('OpenPublic', { name: 'public:shop.order.7' });
    subscription.subscribe();
    client.connect();
    expect(await outcome(subscription)).toBe('subscribed');
    expect(await send('public:shop.order.7')).toEqual({
      outcome: 'published',
      delivered: false,
      via: 'channel',
      offset: 1,
      epoch: expect.stringMatching(/./),
      suppressed: false,
    });
    await eventually('the publication arrives', () => publications.length === 1);
    expect(publications[0]?.data).toBe('live');
    expect(hook.received).toEqual([]);

    client.disconnect();
    await eventually('nobody listens', async () => {
      const { body } = await rpc('Presence', { name: 'public:shop.order.7' });
      return body['subscribers'] === 0;
    });
    const delivered = {
      outcome: 'sent',
      delivered: true,
      via: 'sink',
      offset: 0,
      epoch: '',
      suppressed: false,
    };
    expect(await send('public:shop.order.7')).toEqual(delivered);
    expect(await send('public:shop.never.opened')).toEqual(delivered);
    await rpc('CreatePrivate', { name: 'private:shop.order.8', ttl_seconds: 1 });
    await rpc('DeleteChannel', { name: 'public:shop.order.7' });
    expect(await send('public:shop.order.7')).toEqual(delivered);
    expect(hook.received.map(({ body }) => JSON.parse(body).body)).toEqual([
      'public:shop.order.7',
      'public:shop.never.opened',
      'public:shop.order.7',
    ]);
    await eventually('the channel expires', async () => {
      return (await rpc('GetChannel', { name: 'private:shop.order.8' })).status === 404;
    });
    expect(await send('private:shop.order.8')).toEqual(delivered);
  });

  test('refuses bad names, missing and unknown sinks; listeners come before the sink', async () => {
    const server = await serverFor('');
    const rpc = rpcOf(server.url, server.token);
    const name = 'public:shop.order.7';
    expect(await rpc('PublishOrSink', { name: 'nonsense', sink: 'x' })).toMatchObject({
      status: 400,
      code: 'MSG_CHANNEL_INVALID',
    });
    expect(await rpc('PublishOrSink', { name })).toMatchObject({ status: 400, code: 'MSG_INVALID_ARGUMENT' });
    expect(await rpc('PublishOrSink', { name, sink: 'nobody' })).toMatchObject({
      status: 500,
      code: 'MSG_SINK_CONFIG_INVALID',
    });
    expect(await rpc('PublishOrSink', { name, sink: 'x', message: { metadata: { a: 1 } } })).toMatchObject({
      status: 400,
    });
    const client = stockClient(server.websocketUrl);
    const subscription = client.newSubscription(name);
    await rpc('OpenPublic', { name });
    subscription.subscribe();
    client.connect();
    await outcome(subscription);
    expect((await rpc('PublishOrSink', { name, data, sink: 'nobody' })).body).toMatchObject({
      via: 'channel',
    });
  });

  test('counts against the publish rate', async () => {
    const { url } = await hookServer();
    const server = await serverFor(
      `sinks: { orders: { kind: webhook, url: "${url}" } }\nrate_limits: { publish: { rate: 2, per: 1m } }\n`,
    );
    const rpc = rpcOf(server.url, server.token);
    const send = () => rpc('PublishOrSink', { name: 'public:a.b', sink: 'orders' });
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
    expect(await send()).toMatchObject({ status: 429, code: 'MSG_RATE_LIMITED' });
  });
});

describe('a recipient of the wrong shape', () => {
  test('is refused by mail and webhook sinks before anything is sent or parked; Slack has no recipients', async () => {
    const [orders, team, mail] = [await hookServer(), await hookServer(), await mailServer()];
    const server = await serverFor(`
sinks:
  orders: { kind: webhook, url: "${orders.url}" }
  team: { kind: slack, webhook_url: "${team.url}" }
  email: { kind: email, smtp_addr: "${mail.addr}", from: "shop@example.com" }
`);
    const rpc = rpcOf(server.url, server.token);
    const send = (sink: string, recipient: unknown) =>
      rpc('PublishOrSink', { name: 'public:shop.order.7', data, sink, recipient, message: { body: 'b' } });
    const nobody = [
      undefined,
      null,
      {},
      { address: null },
      { address: '' },
      { address: ' ' },
      { Address: '' },
    ];
    const noMailbox = [
      'ann',
      'ann@',
      '@example.com',
      'a@example.com, b@example.com',
      'a@example.com\r\nBcc: b@c.de',
    ];
    const foreign = ['http://127.0.0.1/', '', 7, true, [], ['a@example.com']];
    const refused: Readonly<Record<string, readonly unknown[]>> = {
      email: [
        ...nobody,
        ...noMailbox.map(address => ({ address })),
        ...foreign,
        { address: 7 },
        { url: orders.url },
      ],
      orders: [
        ...foreign,
        { url: 7 },
        { url: 'somewhere' },
        { url: 'ftp://example.com/' },
        { address: 'ann@example.com' },
        { uri: 'https://example.com/' },
      ],
    };
    for (const [sink, recipients] of Object.entries(refused)) {
      for (const recipient of recipients) {
        const answer = await send(sink, recipient);
        expect(answer, `${sink} ${JSON.stringify(recipient)}`).toMatchObject({
          status: 400,
          code: 'MSG_INVALID_ARGUMENT',
        });
      }
    }
    expect([orders.server.received, mail.server.mails, mail.server.connections]).toEqual([[], [], 0]);
    expect((await rpc('DlqCount', {})).body).toEqual({ count: 0 });

    for (const recipient of [undefined, null, {}, { url: null }, { URL: '' }])
      expect((await send('orders', recipient)).body).toMatchObject({ outcome: 'sent' });
    expect(orders.server.received).toHaveLength(5);
    for (const recipient of [null, 'anything', { address: '' }])
      expect((await send('team', recipient)).body).toMatchObject({ outcome: 'sent' });
    expect(team.server.received).toHaveLength(3);
  });
});

describe("a webhook sink and its callers' URLs", () => {
  const yaml = (url: string, allowed = '[]', retry = '1') => `
sinks:
  orders:
    kind: webhook
    url: "${url}/configured"
    headers: { Authorization: Bearer veiled-token }
    signing_secret: veiled-signing
    allowed_origins: ${allowed}
sink_retry: { max_attempts: ${retry} }
`;
  const SEND = { name: 'public:shop.order.7', sink: 'orders', message: { body: 'b' } };

  test('refuses those that lead into private networks: the caller is told, nothing is sent or parked', async () => {
    const { server: hook, url } = await hookServer();
    const { server: allowed, url: allowedUrl } = await hookServer();
    const server = await serverFor(yaml('http://127.0.0.1:1', `["${allowedUrl}"]`));
    const rpc = rpcOf(server.url, server.token);
    const local = url.replace('127.0.0.1', 'localhost');
    for (const target of [
      url,
      local,
      url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      'http://169.254.169.254/',
    ]) {
      const answer = await rpc('PublishOrSink', { ...SEND, recipient: { url: target } });
      expect(answer).toMatchObject({ status: 400, code: 'MSG_INVALID_ARGUMENT' });
      expect(JSON.stringify(answer.body)).toContain('--private-sink-urls');
    }
    expect(hook.received).toEqual([]);
    expect((await rpc('DlqCount', {})).body).toEqual({ count: 0 });
    const sent = await rpc('PublishOrSink', { ...SEND, recipient: { url: `${allowedUrl}/in` } });
    expect(sent.body).toMatchObject({ via: 'sink' });
    expect(allowed.received).toMatchObject([
      {
        path: '/in',
        headers: {
          authorization: 'Bearer veiled-token',
          [SIGNATURE_HEADER.toLowerCase()]: expect.any(String),
        },
      },
    ]);
  });

  test('with --private-sink-urls posts there, without its secrets; a replay too', async () => {
    const { server: hook, url } = await hookServer({ status: 503 });
    const folder = await temporaryFolder();
    const config = join(folder, 'msg.yaml');
    await writeFile(config, yaml('http://127.0.0.1:1'));
    const server = await startServer({ args: ['--config', config, '--private-sink-urls'] });
    onTestFinished(() => server.stop());
    const rpc = rpcOf(server.url, server.token);
    const sent = await rpc('PublishOrSink', { ...SEND, recipient: { url: `${url}/in` } });
    expect(sent.body).toMatchObject({ via: 'dlq' });
    hook.behaviour = { status: 200 };
    const { items } = (await rpc('DlqList', {})).body as { items: { id: string }[] };
    expect((await rpc('DlqReplay', { id: items[0]?.id })).status).toBe(200);
    expect(hook.received.map(({ path }) => path)).toEqual(['/in', '/in']);
    for (const { headers } of hook.received) {
      expect(headers['content-type']).toBe('application/json');
      expect(headers).not.toHaveProperty('authorization');
      expect(headers).not.toHaveProperty(SIGNATURE_HEADER.toLowerCase());
    }
  });

  test('a letter of a server that allowed them is not replayed by one that does not', async () => {
    const { server: hook, url } = await hookServer({ status: 503 });
    const redis = await RedisServer.start();
    onTestFinished(() => redis.stop());
    const config = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(config, yaml('http://127.0.0.1:1'));
    const args = ['--config', config];
    const open = await startNode(redis.address, 'sinks', { args: [...args, '--private-sink-urls'] });
    onTestFinished(() => open.stop());
    const sent = await open.rpc('PublishOrSink', { ...SEND, recipient: { url } });
    expect(sent.body).toMatchObject({ via: 'dlq' });
    hook.behaviour = { status: 200 };
    const strict = await startNode(redis.address, 'sinks', { args });
    onTestFinished(() => strict.stop());
    const letters = async () =>
      (await strict.rpc('DlqList', {})).body['items'] as {
        id: string;
        attempts: number;
        last_error: string;
      }[];
    const [letter] = await letters();
    expect((await strict.rpc('DlqReplay', { id: letter?.id })).status).toBe(200);
    expect(await letters()).toMatchObject([
      { id: letter?.id, attempts: 1, last_error: expect.stringContaining('public addresses only') },
    ]);
    expect(hook.received).toHaveLength(1);
  });
});

describe('sinks from the configuration file', () => {
  test('a signed webhook with headers, Slack and mail; secrets show nowhere', async () => {
    const hooks = await hookServer();
    const slack = await hookServer();
    const mail = await mailServer({ user: 'shop', password: 'veiled-pass' });
    const server = await serverFor(
      `
sinks:
  orders:
    kind: webhook
    url: "${hooks.url}/veiled-path"
    headers: { Authorization: "Bearer \${HOOK_TOKEN}" }
    signing_secret: veiled-signing
  team: { kind: slack, webhook_url: "${slack.url}/services/veiled-slack" }
  email: { kind: email, smtp_addr: "${mail.addr}", from: "Shop <shop@example.com>", auth_user: shop, auth_pass: "\${MAIL_PASS}" }
sink_retry:
  per_sink: { orders: { max_attempts: 1 } }
`,
      { HOOK_TOKEN: 'veiled-token', MAIL_PASS: 'veiled-pass' },
    );
    const rpc = rpcOf(server.url, server.token);
    const send = (sink: string, recipient: unknown) =>
      rpc('PublishOrSink', {
        name: 'public:shop.order.7',
        sink,
        recipient,
        message: { subject: 's', body: 'b' },
      });
    for (const answer of [
      await send('orders', null),
      await send('team', null),
      await send('email', { address: 'ann@example.com' }),
    ]) {
      expect(answer.body).toMatchObject({ delivered: true, via: 'sink' });
    }
    const [hook] = hooks.server.received;
    expect(hook).toMatchObject({ path: '/veiled-path', body: '{"subject":"s","body":"b"}' });
    expect(hook?.headers.authorization).toBe('Bearer veiled-token');
    const signed = {
      header: String(hook?.headers[SIGNATURE_HEADER.toLowerCase()]),
      body: hook?.body ?? '',
      secret: 'veiled-signing',
      now: Date.now(),
    };
    expect(verifyWebhook(signed)).toBe(true);
    expect(slack.server.received[0]?.body).toBe('{"text":"*s*\\nb"}');
    expect(mail.server.mails).toMatchObject([{ to: ['ann@example.com'], user: 'shop' }]);

    await hooks.server.close();
    expect((await send('orders', null)).body).toMatchObject({ via: 'dlq' });
    const shown = [
      JSON.stringify(await manifestOf(server.url)),
      JSON.stringify((await rpc('DlqList', {})).body),
      await (await fetch(`${server.url}/metrics`)).text(),
      ...Object.values(server.output()),
    ].join('\n');
    expect(shown).toContain('webhook cannot be reached: ECONNREFUSED');
    expect(shown).not.toContain('veiled');
    expect((await manifestOf(server.url)).sinks).toEqual(['email', 'orders', 'team']);
  });

  test.each([
    ['s: { kind: webhook }', 'MSG_SINK_CONFIG_INVALID: sinks.s.url is required'],
    [
      's: { kind: webhook, urll: "http://hidden/" }',
      'MSG_INVALID_ARGUMENT: key "sinks.s.urll" does not exist',
    ],
  ])('%s: no boot', async (entry, problem) => {
    const config = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(config, `sinks:\n  ${entry}\n`);
    const { code, stderr } = await runMsg(['serve', '--addr', '127.0.0.1:0', '--config', config]);
    expect(code).toBe(1);
    expect(stderr).toContain(`error: ${problem}`);
    expect(stderr).not.toContain('hidden');
  });
});
