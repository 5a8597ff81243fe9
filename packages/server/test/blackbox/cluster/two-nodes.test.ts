import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, WebhookReceiver } from '@msg/testkit';
import { type RunningStore, startTopology, TOPOLOGIES } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ClusterNode, readiness, startNode } from '../../support/cluster.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { manifestOf, rpcOf } from '../../support/rpc.ts';
import { closeClients, outcome, received, stockClient, trySubscribe } from '../../support/stock-client.ts';

const WAIT_MS = 60_000;
const bytes = (text: string): string => Buffer.from(text).toString('base64');

const LIMITS = ['--publish-rate', '5/h', '--publish-burst', '5'];

describe.each(TOPOLOGIES)('messaging details 23, line 33: two nodes on one store, %s', topology => {
  let store: RunningStore;
  let a: ClusterNode;
  let b: ClusterNode;

  beforeAll(async () => {
    store = await startTopology(topology);
    [a, b] = await Promise.all([startNode(store.address, 'pair'), startNode(store.address, 'pair')]);
  }, 120_000);
  afterEach(closeClients);
  afterAll(async () => {
    await Promise.all([a.stop(), b.stop()]);
    await store.stop();
  });

  /** Subscribes with the stock client; resolves once that is live. */
  async function subscribed(node: ClusterNode, channel: string, token?: string) {
    const client = stockClient(node.websocketUrl, token === undefined ? {} : { token });
    const subscription = client.newSubscription(channel);
    const ended = new Promise<number>(resolve =>
      subscription.on('unsubscribed', ({ code }) => resolve(code)),
    );
    const publications = received(subscription);
    subscription.subscribe();
    client.connect();
    await subscription.ready(WAIT_MS);
    return { client, subscription, publications, ended };
  }

  async function createPrivate(node: ClusterNode, name: string, subject: string) {
    const { body } = await node.rpc('CreatePrivate', { name, ttl_seconds: 600, subject });
    return {
      access: String(body['access_token']),
      refresh: String(body['refresh_token']),
      jti: JSON.parse(Buffer.from(String(body['access_token']).split('.')[1] ?? '', 'base64url').toString())
        .jti as string,
    };
  }

  test('what is published on one reaches a subscriber of the other, who counts as present on both', async () => {
    const name = 'public:pair.news';
    await a.rpc('OpenPublic', { name });
    const { publications } = await subscribed(b, name);
    for (const [index, node] of [a, b, a].entries()) {
      const { status, body } = await node.rpc('Publish', { name, data: bytes(`{"n":${index}}`) });
      expect([status, body['offset']]).toEqual([200, index + 1]);
    }
    await eventually('all arrive', () => publications.length === 3, WAIT_MS);
    expect(publications.map(({ offset, data }) => [offset, data.n])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
    for (const node of [a, b])
      expect((await node.rpc('Presence', { name })).body).toEqual({ subscribers: 1 });
    await subscribed(a, name);
    expect((await b.rpc('Presence', { name })).body).toEqual({ subscribers: 2 });
  });

  test('publications that are kept and that are not reach the other node in their order', async () => {
    const name = 'public:pair.mixed';
    await a.rpc('OpenPublic', { name });
    const { publications } = await subscribed(b, name);
    const kinds = [
      {},
      { skip_history: true },
      { volatile: true },
      { version: 3 },
      { version: 3 },
      { version: 2, volatile: true },
    ];
    const items = kinds.map((more, json) => ({ name, json, ...more }));
    const { body } = await a.rpc('PublishMany', { items, parallel: true });
    expect(body['results']).toMatchObject([
      { offset: 1, suppressed: false },
      { offset: 0, epoch: '', suppressed: false },
      { offset: 0, epoch: '', suppressed: false },
      { offset: 2, suppressed: false },
      { offset: 2, suppressed: true },
      { offset: 0, suppressed: true },
    ]);
    // Versions are those of the store, and so is the idempotency key.
    const stale = await b.rpc('Publish', { name, json: 6, version: 3, skip_history: true });
    expect(stale.body).toEqual({ offset: 0, epoch: '', suppressed: true });
    const names = [name, 'public:pair.nowhere'];
    for (const [node, suppressed] of [
      [b, false],
      [a, true],
    ] as const) {
      const answer = await node.rpc('Broadcast', { names, json: 7, idempotency_key: 'once' });
      expect(answer.body['results']).toMatchObject([
        { name, offset: 3, suppressed, error: null },
        { error: { code: 'MSG_CHANNEL_NOT_FOUND' } },
      ]);
    }
    await eventually('all arrive', () => publications.length === 5, WAIT_MS);
    expect(publications.map(({ offset, data }) => [offset ?? 0, data])).toEqual([
      [1, 0],
      [0, 1],
      [0, 2],
      [2, 3],
      [3, 7],
    ]);
    const position = (await a.rpc('Position', { name })).body;
    expect(position).toEqual({ offset: 3, epoch: expect.stringMatching(/./) });
    expect((await b.rpc('RemoveHistory', { name })).status).toBe(200);
    expect((await a.rpc('Position', { name })).body).toEqual(position);
    expect((await a.rpc('Publish', { name, json: 8 })).body).toEqual({
      offset: 4,
      epoch: position['epoch'],
      suppressed: false,
    });
  });

  test('a private channel of one node is reused on the other', async () => {
    const name = 'private:pair.reused.1';
    const reuse = (node: ClusterNode, more: object = {}) =>
      node.rpc('CreatePrivate', { name, subject: 'ann', if_exists: 'reuse', ...more });
    expect((await reuse(a, { ttl_seconds: 600 })).body).toMatchObject({ created: true });
    const reused = await reuse(b);
    expect(reused.body).toMatchObject({ created: false });
    expect((await a.rpc('GetChannel', { name })).body).toMatchObject({ channel: { ttl_seconds: 600 } });
    await reuse(b, { ttl_seconds: 900 });
    expect((await a.rpc('GetChannel', { name })).body).toMatchObject({ channel: { ttl_seconds: 900 } });
    await subscribed(a, name, String(reused.body['access_token']));
    await a.rpc('DeleteChannel', { name });
    expect((await reuse(b)).code).toBe('MSG_CHANNEL_EXISTS');
  });

  test('a channel opened on one is listed, closed and deleted on the other; deletion ends subscriptions everywhere', async () => {
    const name = 'public:pair.doomed';
    await a.rpc('OpenPublic', { name });
    const [here, there] = [await subscribed(a, name), await subscribed(b, name)];
    expect((await b.rpc('GetChannel', { name })).body).toMatchObject({ channel: { name, state: 'open' } });
    expect((await a.rpc('DeleteChannel', { name })).status).toBe(200);
    expect(await there.ended).toBe(2000);
    expect(await here.ended).toBe(2000);
    expect((await b.rpc('GetChannel', { name })).code).toBe('MSG_CHANNEL_NOT_FOUND');
    expect((await b.rpc('OpenPublic', { name })).code).toBe('MSG_CHANNEL_NOT_FOUND');
    expect(await trySubscribe(b.websocketUrl, name)).toBe(102);
  });

  test('a key that signs after a rotation on one verifies on the other', async () => {
    const { body } = await a.rpc('GenerateKey', {});
    expect((await a.rpc('PromoteKey', { id: body['id'] })).status).toBe(200);
    const { mgmt_token, signed_by_key_id } = (await a.rpc('IssueMgmt', {})).body;
    expect(signed_by_key_id).toBe(body['id']);
    const renewed = rpcOf(b.url, String(mgmt_token));
    await eventually(
      'the other node has the key',
      async () => (await renewed('ListChannels', {})).status === 200,
      WAIT_MS,
    );
    expect((await manifestOf(b.url)).active_key_id).toBe(body['id']);
  });

  test('a refresh token works once over both nodes, and its reuse kills the family on both', async () => {
    const { refresh } = await createPrivate(a, 'private:pair.refresh.1', 'u-refresh');
    const first = await a.rpc('RefreshToken', { refresh_token: refresh });
    expect(first.body).toMatchObject({ rotated: true });
    expect(await b.rpc('RefreshToken', { refresh_token: refresh })).toMatchObject({
      status: 403,
      code: 'MSG_AUTH_DENIED',
    });
    const newest = String(first.body['refresh_token']);
    for (const node of [a, b])
      expect((await node.rpc('RefreshToken', { refresh_token: newest })).code).toBe('MSG_AUTH_DENIED');
  });

  test('a token revoked on one ends its live subscriptions on the other within 5 s, and opens nothing there', async () => {
    const name = 'private:pair.revoked.1';
    const { access, jti } = await createPrivate(a, name, 'u-revoked');
    const there = await subscribed(b, name, access);
    const resubscribed = outcome(there.subscription);
    expect((await a.rpc('RevokeToken', { token_id: jti, reason: 'lost' })).status).toBe(200);
    expect(await resubscribed).toBe(103);
    expect(await trySubscribe(b.websocketUrl, name, { connect: access })).toBe(103);
  });

  test('a user revoked on one is out on the other, tokens made afterwards are in', async () => {
    const name = 'private:pair.revoked.2';
    const { access } = await createPrivate(a, name, 'u-7');
    expect(await trySubscribe(b.websocketUrl, name, { connect: access })).toBe('subscribed');
    expect((await a.rpc('RevokeUser', { user_id: 'u-7' })).status).toBe(200);
    expect(await trySubscribe(b.websocketUrl, name, { connect: access })).toBe(103);
    const later = await createPrivate(b, 'private:pair.revoked.3', 'u-7');
    expect(await trySubscribe(a.websocketUrl, 'private:pair.revoked.3', { connect: later.access })).toBe(
      'subscribed',
    );
  });

  test('a management bearer revoked on one is refused by the other within 5 s, and by a node that starts later', async () => {
    const issue = async (subject: string) => {
      const token = String((await a.rpc('IssueMgmt', { subject })).body['mgmt_token']);
      return { token, jti: JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti };
    };
    const [byId, byUser, staying] = [await issue('leaked'), await issue('left'), await issue('staying')];
    const status = async (node: ClusterNode, { token }: typeof byId) =>
      (await rpcOf(node.url, token)('ListKeys', {})).status;
    // The other node has looked them up, and remembers that for a while.
    expect([await status(b, byId), await status(b, byUser), await status(b, staying)]).toEqual([
      200, 200, 200,
    ]);
    expect((await a.rpc('RevokeToken', { token_id: byId.jti })).status).toBe(200);
    expect(await status(a, byId)).toBe(401);
    expect((await a.rpc('RevokeUser', { user_id: 'left' })).status).toBe(200);
    expect(await status(a, byUser)).toBe(401);
    // The deadline leaves a busy machine time to answer; that the answers are 4 s old at most is a test of its own.
    await eventually('the id counts on the other node', async () => (await status(b, byId)) === 401, WAIT_MS);
    await eventually('so does the user', async () => (await status(b, byUser)) === 401, WAIT_MS);
    const late = await startNode(store.address, 'pair');
    try {
      const statuses = [await status(late, byId), await status(late, byUser), await status(late, staying)];
      expect(statuses).toEqual([401, 401, 200]);
    } finally {
      await late.stop();
    }
  });

  test('dead letters and readiness are the same wherever one asks', async () => {
    for (const node of [a, b]) {
      expect(await manifestOf(node.url)).toMatchObject({ shared_store: true, dlq_backend: 'redis' });
      expect((await node.rpc('DlqCount', {})).body).toEqual({ count: 0 });
      expect(await readiness(node.url)).toMatchObject({ status: 200, body: { ready: true } });
    }
  });

  test('a rate is one over all nodes', async () => {
    const limited = await Promise.all([
      startNode(store.address, 'limited', { args: LIMITS }),
      startNode(store.address, 'limited', { args: LIMITS }),
    ]);
    try {
      const name = 'public:pair.limited';
      await limited[0].rpc('OpenPublic', { name });
      const codes: number[] = [];
      for (let index = 0; index < 7; index++) {
        const node = limited[index % 2] as ClusterNode;
        codes.push((await node.rpc('Publish', { name, data: '' })).status);
      }
      expect(codes).toEqual([200, 200, 200, 200, 200, 429, 429]);
    } finally {
      await Promise.all(limited.map(node => node.stop()));
    }
  });

  test('a letter parked by one node is listed by the other, and replayed once although both try', async () => {
    const hook = new WebhookReceiver({ status: 503 });
    const url = await hook.listen();
    const config = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(
      config,
      `sinks: { orders: { kind: webhook, url: "${url}" } }\nsink_retry: { max_attempts: 1 }\n`,
    );
    const options = { args: ['--config', config] };
    const nodes = await Promise.all([
      startNode(store.address, 'letters', options),
      startNode(store.address, 'letters', options),
    ]);
    const [here, there] = nodes as [ClusterNode, ClusterNode];
    try {
      const message = { subject: 's', body: 'b', metadata: {} };
      const parked = await here.rpc('PublishOrSink', {
        name: 'public:pair.order',
        data: '',
        sink: 'orders',
        message,
      });
      expect(parked.body).toMatchObject({ delivered: true, via: 'dlq' });
      const [item] = (await there.rpc('DlqList', {})).body['items'] as [{ id: string }];
      expect(item).toMatchObject({ sink: 'orders', attempts: 1, channel: 'public:pair.order' });
      hook.behaviour = { status: 200 };
      const replays = await Promise.all([here, there].map(node => node.rpc('DlqReplay', { id: item.id })));
      expect(replays.some(({ status }) => status === 200)).toBe(true);
      expect(replays.every(({ status }) => status === 200 || status === 404)).toBe(true);
      expect(hook.received).toHaveLength(2);
      for (const node of nodes) expect((await node.rpc('DlqCount', {})).body).toEqual({ count: 0 });
    } finally {
      await Promise.all(nodes.map(node => node.stop()));
      await hook.close();
    }
  });

  test('a retired key ends the live subscriptions of the other node that rest on it', async () => {
    const name = 'private:pair.retired.1';
    const { access } = await createPrivate(a, name, 'u-retired');
    const there = await subscribed(b, name, access);
    const ended = outcome(there.subscription);
    const { kid } = JSON.parse(Buffer.from(access.split('.')[0] ?? '', 'base64url').toString());
    const { body } = await a.rpc('GenerateKey', {});
    await a.rpc('PromoteKey', { id: body['id'] });
    const renewed = rpcOf(a.url, String((await a.rpc('IssueMgmt', {})).body['mgmt_token']));
    // The key of the bootstrap tokens may be the same one: the last test of this file.
    expect((await renewed('RetireKey', { id: kid })).status).toBe(200);
    expect(await ended).toBe(103);
  });
});
