import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@msg/foundation/clock';
import { eventually, freePort, runMsg } from '@msg/testkit';
import { FaultProxy, RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RedisChannelRegistry } from '#src/channels/registry/redis/registry.ts';
import { connectSharedStore } from '#src/stores/redis/connect.ts';
import { type ClusterNode, readiness, startNode } from '../../support/cluster.ts';
import { errorLine } from '../../support/error-lines.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { rpcOf } from '../../support/rpc.ts';
import { closeClients, outcome, stockClient, trySubscribe } from '../../support/stock-client.ts';

const WAIT_MS = 60_000;

async function until(node: ClusterNode, ready: boolean): Promise<void> {
  const settled = async () => (await readiness(node.url)).body.ready === ready;
  await eventually(`the node is ${ready ? '' : 'not '}ready`, settled, WAIT_MS);
}

describe('a node that loses the store', () => {
  let redis: RedisServer;
  let proxy: FaultProxy;
  let healthy: ClusterNode;
  let cut: ClusterNode;

  beforeAll(async () => {
    redis = await RedisServer.start();
    proxy = await FaultProxy.start(redis);
    [healthy, cut] = await Promise.all([
      startNode(redis.address, 'outage'),
      startNode(proxy.address, 'outage'),
    ]);
  });
  afterEach(closeClients);
  afterAll(async () => {
    proxy.fault = 'pass';
    await Promise.all([healthy.stop(), cut.stop()]);
    await proxy.stop();
    await redis.stop();
  });

  async function subscribed(node: ClusterNode, channel: string, token?: string) {
    const client = stockClient(node.websocketUrl, token === undefined ? {} : { token });
    const subscription = client.newSubscription(channel);
    const ended = outcome(subscription);
    subscription.subscribe();
    client.connect();
    await ended;
    return { client, subscription };
  }

  test.each(['cut', 'blackhole'] as const)(
    'by a %s connection answers coded errors, is alive but not ready, and comes back by itself',
    async fault => {
      const name = `public:outage.${fault}`;
      await healthy.rpc('OpenPublic', { name });
      proxy.fault = fault;
      await until(cut, false);
      const state = await readiness(cut.url);
      expect(state.status).toBe(503);
      expect(Object.values(state.body.subsystems).some(({ ok, detail }) => !ok && detail !== '')).toBe(true);
      expect((await fetch(`${cut.url}/healthz`)).status).toBe(200);
      const calls = [
        ['GetChannel', { name }],
        ['Publish', { name, data: '' }],
        ['OpenPublic', { name }],
        ['DlqCount', {}],
        ['RevokeToken', { token_id: 'j' }],
        ['GenerateKey', {}],
      ] as const;
      const answers = await Promise.all(calls.map(([method, request]) => cut.rpc(method, request)));
      for (const [index, { status, code, headers }] of answers.entries()) {
        const [method] = calls[index] ?? [];
        // A write whose answer is lost may have happened; everything else may be repeated.
        if (status === 500)
          expect([method, fault, code]).toEqual([method, 'blackhole', 'MSG_BROKER_INTERNAL']);
        else expect([method, status, code]).toEqual([method, 503, 'MSG_BROKER_NOT_READY']);
        expect(headers.get('retry-after')).toBe(status === 503 ? '1' : null);
      }
      // Tokens are still verified, with the last ring; whether a bearer was revoked, nobody knows.
      expect((await rpcOf(cut.url, 'not.a.token')('IssueMgmt', {})).status).toBe(401);
      expect((await cut.rpc('IssueMgmt', {})).code).toBe('MSG_BROKER_NOT_READY');
      expect(await readiness(healthy.url)).toMatchObject({ status: 200 });
      proxy.fault = 'pass';
      await until(cut, true);
      const publish = async () => (await cut.rpc('Publish', { name, data: 'e30=' })).status === 200;
      await eventually('publishing works again', publish, WAIT_MS);
    },
    120_000,
  );

  test('and was deaf meanwhile ends what was deleted and revoked when it is back', async () => {
    const doomed = 'public:outage.doomed';
    const kept = 'public:outage.kept';
    const secret = 'private:outage.secret.1';
    await healthy.rpc('OpenPublic', { name: doomed });
    await healthy.rpc('OpenPublic', { name: kept });
    const { body } = await healthy.rpc('CreatePrivate', { name: secret, subject: 'u-1', ttl_seconds: 600 });
    const token = String(body['access_token']);
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const [gone, stays, revoked] = [
      await subscribed(cut, doomed),
      await subscribed(cut, kept),
      await subscribed(cut, secret, token),
    ];
    const ends = Promise.all([
      new Promise(resolve => gone.subscription.on('unsubscribed', ({ code }) => resolve(code))),
      outcome(revoked.subscription),
    ]);
    proxy.fault = 'cut';
    await until(cut, false);
    expect((await healthy.rpc('DeleteChannel', { name: doomed })).status).toBe(200);
    expect((await healthy.rpc('RevokeToken', { token_id: jti })).status).toBe(200);
    proxy.fault = 'pass';
    // Whichever is first ends it: the reconciliation with the registry, or the check of its position, which has it
    // subscribe again and hear that there is no such channel.
    expect(await ends).toEqual([expect.toBeOneOf([2000, 102]), 103]);
    expect(stays.subscription.state).toBe('subscribed');
  }, 120_000);

  test('that is killed without its data serves again, and its tokens stay valid', async () => {
    const issued = (await healthy.rpc('IssueMgmt', {})).body['mgmt_token'];
    const { active_key_id: before } = (await healthy.rpc('ListKeys', {})).body as { active_key_id: string };
    await redis.kill();
    await Promise.all([until(healthy, false), until(cut, false)]);
    await redis.restart();
    await Promise.all([until(healthy, true), until(cut, true)]);
    await eventually(
      'the ring is back in the store',
      async () => String(await redis.command('GET', 'outage:keyring')).includes(before),
      WAIT_MS,
    );
    const late = await startNode(redis.address, 'outage');
    try {
      const response = await fetch(`${late.url}/twirp/msg.MsgService/ListChannels`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${issued}` },
        body: '{}',
      });
      expect(response.status).toBe(200);
      const name = 'public:outage.again';
      expect((await healthy.rpc('OpenPublic', { name })).status).toBe(200);
      expect(await trySubscribe(late.websocketUrl, name)).toBe('subscribed');
    } finally {
      await late.stop();
    }
  }, 120_000);
});

describe('a node that is killed in the middle of a sweep', () => {
  const CHANNELS = 4000;

  test('leaves one event per channel: what it decided is told, the rest is done by another', async () => {
    const redis = await RedisServer.start();
    const connection = await connectSharedStore({ address: redis.address, keyPrefix: 'sweep' });
    const registry = new RedisChannelRegistry({
      store: connection.store,
      nodeId: 'seed',
      clock: systemClock,
    });
    const heard: string[] = [];
    const listener = redis.client();
    const folder = await temporaryFolder();
    const config = join(folder, 'msg.yaml');
    await writeFile(config, 'manager: { sweep_interval: 20ms }\n');
    const options = { args: ['--config', config] };
    const nodes: ClusterNode[] = [];
    try {
      nodes.push(
        await startNode(redis.address, 'sweep', options),
        await startNode(redis.address, 'sweep', options),
      );
      await listener.connect();
      await listener.subscribe('sweep:events');
      listener.on('message', (_channel, text: string) =>
        heard.push((JSON.parse(text) as { name: string }).name),
      );
      const names = Array.from({ length: CHANNELS }, (_, index) => `private:sweep.n${index}`);
      await Promise.all(names.map(name => registry.createPrivate(name, 1)));
      await eventually('a sweep is under way', () => heard.length > 0, WAIT_MS);
      nodes[0]?.kill('SIGKILL');
      const left = async () => (await registry.list()).filter(({ name }) => name.startsWith('private:'));
      await eventually('every channel is gone', async () => (await left()).length === 0, WAIT_MS);
      await eventually('every event is told', () => heard.length >= CHANNELS, WAIT_MS);
      expect(heard).toHaveLength(CHANNELS);
      expect(new Set(heard).size).toBe(CHANNELS);
    } finally {
      listener.disconnect();
      await Promise.all(nodes.map(node => node.stop()));
      await connection.close();
      await redis.stop();
    }
  }, 120_000);
});

describe('a boot that cannot reach its store', () => {
  test('fails with a coded error that shows no password', async () => {
    const address = `redis://user:hunter2-secret@127.0.0.1:${await freePort()}`;
    const result = await runMsg(['serve', '--addr', '127.0.0.1:0', '--redis-addr', address]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^error: MSG_BROKER_INTERNAL: the shared store at 127\.0\.0\.1:\d+ /m);
    expect(result.stderr).not.toContain('hunter2');
  });

  test('waits no longer than the ping may take on a store that is silent', async () => {
    const redis = await RedisServer.start();
    try {
      redis.pause();
      const result = await runMsg(['serve', '--addr', '127.0.0.1:0', '--redis-addr', redis.address]);
      expect(result.code).toBe(1);
      expect(result.stderr).toContain('MSG_BROKER_INTERNAL');
    } finally {
      redis.resume();
      await redis.stop();
    }
  });

  test.each([
    ['http://example.com', 'redis.addr'],
    ['redis+sentinel://127.0.0.1:1', 'redis.addr'],
  ])('an invalid address, %s, is refused', async (address, text) => {
    const result = await runMsg(['serve', '--addr', '127.0.0.1:0', '--redis-addr', address]);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: /);
    expect(result.stderr).toContain(text);
  });

  test.each([
    ['redis: { password: x }\n', 'redis.password: needs redis.addr'],
    ['redis: { tls: { enabled: true } }\n', 'redis.tls: needs redis.addr'],
    ['redis: { shards: ["127.0.0.1:1"] }\n', 'redis.shards: needs redis.addr'],
  ])('settings of a store without address are refused: %j', async (yaml, problem) => {
    const config = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(config, yaml);
    const result = await runMsg(['serve', '--addr', '127.0.0.1:0', '--config', config]);
    expect(result.code).toBe(1);
    expect(errorLine(result.stderr)).toBe(`error: MSG_INVALID_ARGUMENT: ${problem}`);
  });
});

describe('keys in the shared store', () => {
  test('are exported and imported without a server, with flags only', async () => {
    const redis = await RedisServer.start();
    const node = await startNode(redis.address, 'msg');
    try {
      const { active_key_id: active } = (await node.rpc('ListKeys', {})).body as { active_key_id: string };
      const exported = await runMsg(['keys', 'export', '--redis-addr', redis.address]);
      expect(exported).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(exported.stdout)).toMatchObject({ active_key_id: active });

      const elsewhere = ['--redis-addr', redis.address, '--redis-key-prefix', 'other'];
      const nothing = await runMsg(['keys', 'export', ...elsewhere]);
      expect(nothing).toMatchObject({ code: 1 });
      expect(nothing.stderr).toContain('MSG_INVALID_ARGUMENT: there is no keyring at');
      const imported = await runMsg(['keys', 'import', ...elsewhere], { stdin: exported.stdout });
      expect(JSON.parse(imported.stdout)).toMatchObject({ payload: { active_key_id: active, added: 1 } });
      expect(JSON.parse((await runMsg(['keys', 'export', ...elsewhere])).stdout)).toEqual(
        JSON.parse(exported.stdout),
      );

      const folder = await temporaryFolder();
      const both = await runMsg(['keys', 'export', '--state-dir', folder, '--redis-addr', redis.address]);
      expect(both.stderr).toContain('MSG_INVALID_ARGUMENT: give one keyring source');
      const fromEnv = await runMsg(['keys', 'export'], { env: { MSG_REDIS_ADDR: redis.address } });
      expect(fromEnv.stderr).toContain('MSG_INVALID_ARGUMENT: a keyring source is missing');
    } finally {
      await node.stop();
      await redis.stop();
    }
  });
});
