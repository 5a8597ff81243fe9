import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, type MsgServer, runMsg, type WebhookBehaviour } from '@msg/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hookServer } from '../notify/sinks/support/servers.ts';
import { runCli } from '../support/cli-io.ts';
import { configuredServer } from '../support/configured-server.ts';
import { manifestOf, rpcOf } from '../support/rpc.ts';
import { SECRET_PAYLOAD, startServer } from '../support/server.ts';
import { dlqBackend, KEYRING_FILE, memoryOnly, onMemory } from '../support/store-of-run.ts';

const UNREACHED = 'public:shop.order.7';

async function started(
  behaviour: WebhookBehaviour,
  retry = '{ max_attempts: 3, base_backoff: 5ms, max_backoff: 10ms }',
) {
  const { server: hook, url } = await hookServer(behaviour);
  const server = await configuredServer(
    `sinks:\n  orders: { kind: webhook, url: "${url}/hook" }\nsink_retry: ${retry}\n`,
  );
  onTestFinished(() => server.stop());
  const env = { MSG_SERVER: server.url, MSG_TOKEN: server.token };
  const run = async (...args: string[]) => {
    const result = await runMsg(args, { env });
    return { ...result, envelope: result.stdout === '' ? undefined : JSON.parse(result.stdout) };
  };
  return { hook, server, run, rpc: rpcOf(server.url, server.token), hookUrl: url };
}

const SEND = [
  'publish-or-sink',
  UNREACHED,
  '--data',
  'live',
  '--sink',
  'orders',
  '--subject',
  'Order 7',
  '--body',
  SECRET_PAYLOAD,
  '--metadata',
  '{"order":"7"}',
];

describe('dead letters on the command line', () => {
  test('a webhook that is down: attempts, list, failing replay, recovery, replay', async () => {
    const { hook, run, server } = await started({ status: 503 });
    expect((await run(...SEND)).envelope).toMatchObject({
      code: 'OK',
      type: 'msg.publish.sink',
      kind: 'msg.publish.sink',
      payload: { outcome: 'parked', delivered: true, via: 'dlq', offset: 0, epoch: '' },
    });
    expect(hook.received).toHaveLength(3);

    const listed = await run('dlq', 'list', 'orders');
    const item = {
      id: expect.stringMatching(onMemory ? /^[0-9a-f]{16}$/ : /^\d+-\d+$/),
      sink: 'orders',
      channel: UNREACHED,
      recipient: null,
      message: { subject: 'Order 7', body: SECRET_PAYLOAD, metadata: { order: '7' } },
      last_error: 'webhook returned 503 Service Unavailable',
      attempts: 3,
      parked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      at: expect.any(String),
      subject: 'Order 7',
      body: SECRET_PAYLOAD,
      metadata: { order: '7' },
      hidden: false,
      size: SECRET_PAYLOAD.length,
      group: expect.stringMatching(/^[0-9a-f]+$/),
      edits: [],
      truncated: false,
    };
    expect(listed.envelope).toMatchObject({ type: 'msg.dlq.list', payload: { sink: 'orders' } });
    expect(listed.envelope.payload.items).toEqual([item]);
    const [parked] = listed.envelope.payload.items;
    expect(parked.at).toBe(parked.parked_at);
    expect((await run('dlq', 'count', 'orders')).envelope).toMatchObject({
      type: 'msg.dlq.count',
      payload: { sink: 'orders', count: 1 },
    });

    expect(await run('dlq', 'replay', parked.id)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: MSG_SINK_UNAVAILABLE: .* is parked/),
      envelope: { type: 'msg.dlq.replayed', payload: { id: parked.id, outcome: 'parked' } },
    });
    expect((await run('dlq', 'list', 'orders')).envelope.payload.items).toEqual([{ ...parked, attempts: 6 }]);

    hook.behaviour = { status: 200 };
    expect(await run('dlq', 'replay', parked.id)).toMatchObject({
      code: 0,
      envelope: { payload: { id: parked.id, outcome: 'sent' } },
    });
    expect((await run('dlq', 'count', 'orders')).envelope.payload.count).toBe(0);
    expect(hook.received).toHaveLength(7);
    expect(new Set(hook.received.map(({ body }) => body)).size).toBe(1);
    const gone = await run('dlq', 'replay', parked.id);
    expect(gone).toMatchObject({ code: 1, stdout: '' });
    expect(gone.stderr).toMatch(/^error: MSG_SINK_DLQ_NOT_FOUND: /);
    await eventually('the log', () => server.output().stderr.includes('delivery parked as a dead letter'));
  });

  test('discard removes for good', async () => {
    const { run } = await started({ status: 404 });
    await run(...SEND);
    const [{ id }] = (await run('dlq', 'list', 'orders', '--limit', '1')).envelope.payload.items;
    expect((await run('dlq', 'discard', id)).envelope).toMatchObject({
      type: 'msg.dlq.discarded',
      payload: { id },
    });
    expect((await run('dlq', 'list', 'orders')).envelope.payload).toMatchObject({
      sink: 'orders',
      items: [],
    });
    expect((await run('dlq', 'discard', id)).stderr).toMatch(/^error: MSG_SINK_DLQ_NOT_FOUND: /);
  });

  test.each([
    [['dlq']],
    [['dlq', 'list']],
    [['dlq', 'list', '']],
    [['dlq', 'count']],
    [['dlq', 'replay']],
    [['dlq', 'list', 'orders', '--limit', '-1']],
    [['publish-or-sink', UNREACHED, '--data', 'x']],
    [['publish-or-sink', UNREACHED, '--data', 'x', '--file', 'y', '--sink', 's']],
    [['publish-or-sink', UNREACHED, '--data', 'x', '--sink', 's', '--recipient', '{']],
    [['publish-or-sink', UNREACHED, '--data', 'x', '--sink', 's', '--metadata', '{"a":1}']],
    [['publish-or-sink', UNREACHED, '--data', 'x', '--sink', 's', '--metadata', '[]']],
  ])('%j is refused', async args => {
    const result = await runCli(args, { env: { MSG_SERVER: 'http://127.0.0.1:1' } });
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: /);
  });
});

describe('dead letters over the RPC', () => {
  test('list, count and their limits; unknown ids; manifest and metrics', async () => {
    const { rpc, server } = await started({ status: 404 }, '{ max_attempts: 2 }');
    for (const body of ['a', 'b', 'c']) {
      const answer = await rpc('PublishOrSink', { name: UNREACHED, sink: 'orders', message: { Body: body } });
      expect(answer.body).toEqual({
        outcome: 'parked',
        delivered: true,
        via: 'dlq',
        offset: 0,
        epoch: '',
        suppressed: false,
      });
    }
    const bodies = async (request: object) => {
      const { items } = (await rpc('DlqList', request)).body as { items: { body: string }[] };
      return items.map(({ body }) => body);
    };
    expect((await bodies({})).sort()).toEqual(['a', 'b', 'c']);
    expect(await bodies({ sink: 'orders', limit: 2 })).toHaveLength(2);
    expect(await bodies({ sink: 'nobody' })).toEqual([]);
    expect((await rpc('DlqCount', {})).body).toEqual({ count: 3 });
    expect((await rpc('DlqCount', { sink: 'nobody' })).body).toEqual({ count: 0 });
    expect(await rpc('DlqList', { limit: -1 })).toMatchObject({ status: 400, code: 'MSG_INVALID_ARGUMENT' });
    for (const method of ['DlqReplay', 'DlqDiscard']) {
      expect(await rpc(method, {})).toMatchObject({ status: 400, code: 'MSG_INVALID_ARGUMENT' });
      expect(await rpc(method, { id: 'x' })).toMatchObject({ status: 404, code: 'MSG_SINK_DLQ_NOT_FOUND' });
    }
    expect(await manifestOf(server.url)).toMatchObject({
      sinks: ['orders'],
      dlq_backend: dlqBackend(),
      sink_retry: { max_attempts: 2, base_backoff: '1s', max_backoff: '30s', jitter_fraction: 0.2 },
    });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('msg_dlq_size{sink="orders"} 3');
    expect(metrics).toContain('msg_sink_attempts_total{sink="orders",result="failure"} 3');
    expect(metrics).toMatch(/msg_sink_duration_seconds_count\{sink="orders"\} 3/);
  });

  test('without a bearer nothing is answered', async () => {
    const { server } = await started({ status: 404 });
    for (const method of ['DlqList', 'DlqCount', 'DlqDiscard', 'DlqReplay', 'PublishOrSink']) {
      expect(await rpcOf(server.url)(method, {})).toMatchObject({ status: 401, code: 'MSG_AUTH_DENIED' });
    }
  });

  test('ten replays of one letter at once send it once', async () => {
    const { rpc, hook } = await started({ status: 404 });
    await rpc('PublishOrSink', { name: UNREACHED, sink: 'orders', message: { body: 'b' } });
    const { items } = (await rpc('DlqList', {})).body as { items: { id: string }[] };
    hook.behaviour = 'hang';
    const replays = Array.from({ length: 10 }, () => rpc('DlqReplay', { id: items[0]?.id }));
    await hook.got(2);
    await eventually('nine are refused', async () => {
      const settled = await Promise.all(
        replays.map(replay => Promise.race([replay, new Promise(resolve => setImmediate(resolve))])),
      );
      return settled.filter(answer => answer !== undefined).length === 9;
    });
    expect(hook.received).toHaveLength(2);
    await hook.close(); // the one under way fails, and its letter stays
    const statuses = (await Promise.all(replays)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array.from({ length: 9 }, () => 404)]);
    expect((await rpc('DlqCount', {})).body).toEqual({ count: 1 });
  });
});

describe('the end of the process', () => {
  test('killed between the last attempt and the parking: gone, and nothing half-written', async ({
    skip,
  }) => {
    memoryOnly(skip, KEYRING_FILE);
    const { hook, server, rpc } = await started('hang', '{ max_attempts: 1 }');
    const lost = rpc('PublishOrSink', { name: UNREACHED, sink: 'orders', message: { body: 'b' } }).catch(
      () => 'no answer',
    );
    await hook.got(1);
    server.kill('SIGKILL');
    await server.exited();
    expect(await lost).toBe('no answer');
    const state = join(server.folder, 'state');
    expect((await readdir(state)).sort()).toEqual(['keyring.json', 'keyusage.json', 'security.log']);
    expect(JSON.parse(await readFile(join(state, 'keyring.json'), 'utf8'))).toHaveProperty('keys');

    const again: MsgServer = await startServer({ args: ['--config', server.config, '--state-dir', state] });
    onTestFinished(() => again.stop());
    expect((await rpcOf(again.url, again.token)('DlqCount', {})).body).toEqual({ count: 0 });
  });

  test('a polite end waits neither for retries nor for a destination that hangs', async () => {
    const { hook, server, rpc } = await started('hang', '{ base_backoff: 1h, max_backoff: 1h }');
    const hanging = rpc('PublishOrSink', { name: UNREACHED, sink: 'orders', message: { body: 'b' } });
    await hook.got(1);
    hook.behaviour = { status: 503 };
    const waiting = rpc('PublishOrSink', { name: UNREACHED, sink: 'orders', message: { body: 'c' } });
    await hook.got(2);
    const begin = performance.now();
    server.kill('SIGTERM');
    for (const answer of await Promise.all([hanging, waiting])) {
      expect(answer.body).toMatchObject({ delivered: true, via: 'dlq' });
    }
    expect((await server.exited()).code).toBe(0);
    expect(performance.now() - begin).toBeLessThan(6000);
  });
});
