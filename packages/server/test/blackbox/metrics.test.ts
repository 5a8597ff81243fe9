import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type MsgServer, RawClient, WebhookReceiver } from '@msg/testkit';
import { threadsOfRun } from '@msg/testkit/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { type Scrape, scrape } from '../support/scrape.ts';
import { startServer } from '../support/server.ts';
import { onMemory } from '../support/store-of-run.ts';

const GUARD = 'guard-of-metrics';
const PUBLIC = 'public:shop.load';
const PRIVATE = 'private:shop.order.7';

/** The table of messaging details 19: type, and the values each label may have; `null`: any. */
const SECTION_19: Readonly<Record<string, readonly [string, Readonly<Record<string, RegExp>>]>> = {
  msg_publishes_total: [
    'counter',
    { channel_visibility: /^(public|private|unknown)$/, result: /^(success|failure)$/ },
  ],
  msg_publish_duration_seconds: ['histogram', { channel_visibility: /^(public|private|unknown)$/ }],
  msg_subscribers_active: ['gauge', { channel_visibility: /^(public|private)$/ }],
  msg_channels_active: ['gauge', { state: /^(open|closed)$/, visibility: /^(public|private)$/ }],
  msg_token_verifications_total: [
    'counter',
    { type: /^(access|refresh|mgmt|unknown)$/, result: /^(success|failure)$/ },
  ],
  msg_sink_attempts_total: ['counter', { sink: /^(good|bad)$/, result: /^(success|failure)$/ }],
  msg_sink_duration_seconds: ['histogram', { sink: /^(good|bad)$/ }],
  msg_dlq_size: ['gauge', { sink: /^(good|bad)$/ }],
  msg_key_rotations_total: ['counter', { action: /^(generated|promoted|retired)$/ }],
  msg_rpc_requests_total: ['counter', { method: /^([A-Z]\w+|non_rpc|unknown)$/, status: /^\d{3}$/ }],
  msg_rpc_duration_seconds: ['histogram', { method: /^([A-Z]\w+|unknown)$/ }],
  msg_rate_limit_decisions_total: [
    'counter',
    {
      bucket: /^(publish|publish-client|publish-channel|publish-channel-client|subscribe|token-issue)$/,
      result: /^(allowed|denied)$/,
    },
  ],
  msg_refresh_rotations_total: ['counter', { result: /^(rotated|reused|family_revoked|legacy)$/ }],
  msg_keyring_backend: ['gauge', { backend: /^(file|redis|ephemeral|external)$/ }],
  msg_keyring_version: ['gauge', {}],
  msg_keyring_active_key_age_seconds: ['gauge', {}],
  msg_keyring_watch_up: ['gauge', {}],
  msg_console_feeds: ['gauge', {}],
  msg_console_tails: ['gauge', {}],
  msg_console_recordings: ['gauge', {}],
  msg_keyring_reconcile_errors_total: ['counter', {}],
};
const BOUNDS = ['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '+Inf'];

const PUBLISHERS = 8;
const PUBLISHES_EACH = 25;
const SUBSCRIBERS = 20;
const PUBLISHES = PUBLISHERS * PUBLISHES_EACH;

const hooks = [new WebhookReceiver(), new WebhookReceiver({ status: 400 })];
let folder: string;
let server: MsgServer;
let rpc: ReturnType<typeof rpcOf>;
const clients: RawClient[] = [];
const read = (): Promise<Scrape> => scrape(server.url, GUARD);

beforeAll(async () => {
  const [good, bad] = await Promise.all(hooks.map(hook => hook.listen()));
  folder = await mkdtemp(join(tmpdir(), 'msg-metrics-'));
  const config = join(folder, 'msg.yaml');
  await writeFile(
    config,
    `region: eu-1
observability: { metrics_bearer_token: ${GUARD} }
sinks:
  good: { kind: webhook, url: "${good}" }
  bad: { kind: webhook, url: "${bad}" }
rate_limits:
  token_issue: { rate: 3, per: 1h }
channels: [{ pattern: "public:shop.short", history_size: 2 }]
`,
  );
  server = await startServer({ args: ['--config', config, '--state-dir', join(folder, 'state')] });
  rpc = rpcOf(server.url, server.token);
});

afterAll(async () => {
  for (const client of clients) client.websocket.terminate();
  await server.stop();
  for (const hook of hooks) await hook.close();
  await rm(folder, { recursive: true });
});

async function subscriber(encoding: 'json' | 'protobuf', channel: string): Promise<RawClient> {
  const client = await RawClient.connected(server.websocketUrl, { encoding });
  clients.push(client);
  await client.request({ subscribe: { channel } });
  return client;
}

const data = (text: string): string => Buffer.from(text).toString('base64');

test('deliveries, bytes and requests add up while clients connect, publishers publish and metrics are read', async () => {
  await rpc('OpenPublic', { name: PUBLIC });
  await Promise.all(
    Array.from({ length: SUBSCRIBERS }, (_, i) => subscriber(i % 2 === 0 ? 'json' : 'protobuf', PUBLIC)),
  );
  let isOver = false;
  const scraping = (async () => {
    let last = -1;
    while (!isOver) {
      const deliveries = (await read()).value('msg_deliveries_total');
      expect(deliveries).toBeGreaterThanOrEqual(last);
      last = deliveries;
    }
  })();
  const statuses = await Promise.all(
    Array.from({ length: PUBLISHERS }, async () => {
      const answers = [];
      for (let count = 0; count < PUBLISHES_EACH; count++)
        answers.push((await rpc('Publish', { name: PUBLIC, data: data('"load"') })).status);
      return answers;
    }),
  );
  // Under load too: acceptance 24.
  expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
  const health = await fetch(`${server.url}/healthz`);
  expect([health.status, await health.text()]).toEqual([200, 'ok']);
  isOver = true;
  await scraping;
  expect(statuses.flat()).toEqual(new Array(PUBLISHES).fill(200));
  for (const client of clients) {
    for (let count = 0; count < PUBLISHES; count++) await client.push();
  }
  const now = await read();
  expect(now.value('msg_publishes_total', { channel_visibility: 'public', result: 'success' })).toBe(
    PUBLISHES,
  );
  expect(now.value('msg_publish_duration_seconds_count')).toBe(PUBLISHES);
  expect(now.value('msg_rpc_requests_total', { method: 'Publish', status: '200' })).toBe(PUBLISHES);
  expect(now.value('msg_rpc_duration_seconds_count', { method: 'Publish' })).toBe(PUBLISHES);
  expect(now.value('msg_deliveries_total')).toBe(PUBLISHES * SUBSCRIBERS);
  expect(now.value('msg_client_commands_total')).toBe(2 * SUBSCRIBERS);
  expect(now.value('msg_sent_bytes_total')).toBeGreaterThan(PUBLISHES * SUBSCRIBERS * '"load"'.length);
  expect(now.value('msg_received_bytes_total')).toBeGreaterThan(0);
  for (const encoding of ['json', 'protobuf']) {
    expect(now.value('msg_connections_active', { transport: 'websocket', encoding })).toBe(SUBSCRIBERS / 2);
  }
  expect(now.value('msg_subscribers_active', { channel_visibility: 'public' })).toBe(SUBSCRIBERS);
  // One channel, for each thread that has a subscriber of it.
  expect(now.value('msg_subscribed_channels')).toBe(threadsOfRun() === null ? 1 : 2);
  expect(now.value('msg_queue_bytes')).toBe(0);
});

test('tokens, keys, limits and sinks are counted by their outcome', async () => {
  const created = (await rpc('CreatePrivate', { name: PRIVATE, subject: 'user-alpha' })).body;
  const refresh = (token: unknown) => rpcOf(server.url)('RefreshToken', { refreshToken: token });
  const first = await refresh(created['refresh_token']);
  await refresh(created['refresh_token']);
  await refresh(first.body['refresh_token']);
  expect((await refresh('limited')).status).toBe(429);

  const owner = await RawClient.connected(server.websocketUrl, {
    connect: { token: String(created['access_token']) },
  });
  clients.push(owner);
  expect((await owner.request({ publish: { channel: PRIVATE, data: Buffer.from('1') } })).error).toBeNull();
  const anyone = clients[0];
  expect(
    (await anyone?.request({ publish: { channel: PUBLIC, data: Buffer.from('1') } }))?.error,
  ).not.toBeNull();

  const { body: key } = await rpc('GenerateKey', {});
  const before = (await rpc('ListKeys', {})).body['active_key_id'];
  await rpc('PromoteKey', { id: key['id'] });
  const { body: renewed } = await rpc('IssueMgmt', {});
  rpc = rpcOf(server.url, String(renewed['mgmt_token']));
  await rpc('RetireKey', { id: before });
  for (const sink of ['good', 'bad']) {
    await rpc('PublishOrSink', { name: 'public:shop.nobody', data: '', sink, message: { body: 'b' } });
  }
  const now = await read();
  const counts = (name: string, label: string): Record<string, number> =>
    Object.fromEntries(now.samples(name).map(({ labels, value }) => [labels[label], value]));
  expect(counts('msg_refresh_rotations_total', 'result')).toEqual({
    rotated: 1,
    reused: 1,
    family_revoked: 1,
  });
  expect(counts('msg_key_rotations_total', 'action')).toEqual({ generated: 1, promoted: 1, retired: 1 });
  expect(counts('msg_rate_limit_decisions_total', 'result')).toEqual({ allowed: 3, denied: 1 });
  expect(now.value('msg_publishes_total', { channel_visibility: 'private', result: 'success' })).toBe(1);
  expect(now.value('msg_publishes_total', { channel_visibility: 'public', result: 'failure' })).toBe(1);
  expect(now.value('msg_sink_attempts_total', { sink: 'good', result: 'success' })).toBe(1);
  expect(now.value('msg_sink_attempts_total', { sink: 'bad', result: 'failure' })).toBe(1);
  expect(now.value('msg_sink_duration_seconds_count')).toBe(2);
  expect(now.value('msg_dlq_size', { sink: 'bad' })).toBe(1);
  const place = onMemory ? 'file' : 'redis';
  const nowhere = { file: 0, redis: 0, ephemeral: 0, external: 0 };
  expect(counts('msg_keyring_backend', 'backend')).toEqual({ ...nowhere, [place]: 1 });
  expect(now.value('msg_keyring_watch_up')).toBe(1);
  expect(now.value('msg_keyring_version')).toBeGreaterThanOrEqual(4);
  expect(now.value('msg_keyring_active_key_age_seconds')).toBeLessThan(60);
});

test('a recovery that cannot be proven says why', async () => {
  const name = 'public:shop.short';
  await rpc('OpenPublic', { name });
  const epochs: unknown[] = [];
  for (let count = 0; count < 5; count++)
    epochs.push((await rpc('Publish', { name, data: data('1') })).body['epoch']);
  const epoch = String(epochs[0]);
  const recovering = async (position: { offset: number; epoch: string }) => {
    const client = await RawClient.connected(server.websocketUrl);
    clients.push(client);
    return (await client.request({ subscribe: { channel: name, recover: true, ...position } })).subscribe
      ?.recovered;
  };
  expect(await recovering({ offset: 4, epoch })).toBe(true);
  expect(await recovering({ offset: 4, epoch: 'another' })).toBe(false);
  expect(await recovering({ offset: 1, epoch })).toBe(false);
  expect(await recovering({ offset: 9, epoch })).toBe(false);
  const now = await read();
  const outcomes = now.samples('msg_recoveries_total').map(({ labels, value }) => [labels['outcome'], value]);
  expect(Object.fromEntries(outcomes)).toEqual({ recovered: 1, epoch: 1, trimmed: 1, ahead: 1, limit: 0 });
});

test('what waits for a reader that reads nothing is seen, and that it was cut', async () => {
  const name = 'public:shop.slow';
  await rpc('OpenPublic', { name });
  const slow = await subscriber('json', name);
  slow.websocket.pause();
  let waiting = 0;
  await eventually(
    'the reader is cut',
    async () => {
      for (let count = 0; count < 3; count++)
        await rpc('Publish', { name, data: data(`"${'x'.repeat(60_000)}"`) });
      const now = await read();
      waiting = Math.max(waiting, now.value('msg_queue_bytes'));
      return now.value('msg_slow_consumer_disconnects_total') === 1;
    },
    30_000,
  );
  expect(waiting).toBeGreaterThan(0);
  // What the socket holds is held until it is gone.
  slow.websocket.terminate();
  await eventually('nothing waits', async () => (await read()).value('msg_queue_bytes') === 0);
});

test('every metric of section 19 has its type, its labels and none besides, and the region', async () => {
  const now = await read();
  for (const [name, [type, labels]] of Object.entries(SECTION_19)) {
    const metric = now.metrics.get(name);
    expect(metric?.type, name).toBe(type);
    const series = [...(metric?.samples.values() ?? [])].flat();
    expect(series.length, `${name} has series`).toBeGreaterThan(0);
    for (const sample of series) {
      const { region, le, ...own } = sample.labels;
      expect(region).toBe('eu-1');
      expect(Object.keys(own).sort(), name).toEqual(Object.keys(labels).sort());
      for (const [label, allowed] of Object.entries(labels)) expect(own[label], name).toMatch(allowed);
      if (le !== undefined) expect(BOUNDS).toContain(le);
    }
    if (type === 'histogram') {
      const [first] = now.samples(`${name}_count`);
      const { region: _region, ...of } = first?.labels ?? {};
      expect(
        now.samples(`${name}_bucket`, of as Record<string, string>).map(({ labels: { le } }) => le),
      ).toEqual(BOUNDS);
    }
  }
  expect(now.value('process_resident_memory_bytes')).toBeGreaterThan(0);
  expect(now.metrics.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
});

test('no name of a channel, subject or key is in a scrape', async () => {
  const text = await (
    await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${GUARD}` } })
  ).text();
  expect(text).not.toMatch(/shop\.|user-alpha|operator|k-[0-9a-f]{12}/);
});
