import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, WebhookReceiver } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startNode } from '../support/cluster.ts';
import { temporaryFolder } from '../support/folders.ts';
import { logRecords } from '../support/log-records.ts';
import { type ReceivedSpan, readOtlp } from '../support/otlp.ts';
import { manifestOf, post, rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;

let redis: RedisServer;
let collector: WebhookReceiver;
let endpoint: string;
let hook: WebhookReceiver;
let hookUrl: string;

beforeAll(async () => {
  redis = await RedisServer.start();
  collector = new WebhookReceiver({ status: 200, headers: { 'content-type': 'application/x-protobuf' } });
  endpoint = await collector.listen();
  hook = new WebhookReceiver();
  hookUrl = await hook.listen();
});

afterAll(async () => {
  await collector.close();
  await hook.close();
  await redis.stop();
});

const spans = (): ReceivedSpan[] => collector.received.flatMap(({ bytes }) => readOtlp(bytes));
const ofCaller = (): ReceivedSpan[] => spans().filter(({ traceId }) => traceId === CALLER.traceId);
const named = (name: string): ReceivedSpan[] => ofCaller().filter(span => span.name === name);

describe('with a collector', () => {
  test('one trace goes from the caller over the RPC and Redis to the sink, and names itself in the log', async () => {
    const folder = await temporaryFolder();
    const config = join(folder, 'msg.yaml');
    writeFileSync(
      config,
      `region: eu-1
observability: { otlp_endpoint: "${endpoint}" }
sinks: { orders: { kind: webhook, url: "${hookUrl}" }, broken: { kind: webhook, url: "http://127.0.0.1:9" } }
sink_retry: { max_attempts: 2, base_backoff: 1ms, jitter_fraction: 0 }
`,
    );
    const node = await startNode(redis.address, 'traced', { args: ['--config', config] });
    try {
      expect((await manifestOf(node.url)).tracing_enabled).toBe(true);
      const authorization = `Bearer ${node.token}`;
      const call = (method: string, request: object) =>
        post(node.url, method, JSON.stringify(request), { authorization, traceparent });
      const name = 'public:shop.order.7';
      await call('OpenPublic', { name });
      expect((await call('Publish', { name, data: '' })).status).toBe(200);
      await call('PublishOrSink', { name, data: '', sink: 'orders', message: { body: 'b' } });
      await call('PublishOrSink', { name, data: '', sink: 'broken', message: { body: 'b' } });
      expect((await call('Publish', { name: 'public:shop.none', data: '' })).status).toBe(404);
      await rpcOf(node.url, node.token)('ListKeys', {});
      await eventually('all spans arrive', () => named('msg.MsgService/Publish').length === 2);
      await eventually('the sinks arrive', () => named('sink broken').length === 2);

      const byId = new Map(ofCaller().map(span => [span.spanId, span]));
      const wayOf = (span: ReceivedSpan | undefined): string[] => {
        const above = span === undefined ? undefined : byId.get(span.parentSpanId);
        if (span === undefined) return [];
        return above === undefined ? [span.parentSpanId, span.name] : [...wayOf(above), span.name];
      };
      const [sent] = named('sink orders');
      expect(wayOf(sent)).toEqual([CALLER.spanId, 'msg.MsgService/PublishOrSink', 'sink orders']);
      expect(sent).toMatchObject({ kind: 'client', failed: false, attributes: { 'msg.attempt': 1 } });
      // What receives the message continues the trace.
      expect(hook.received[0]?.headers['traceparent']).toBe(`00-${CALLER.traceId}-${sent?.spanId}-01`);
      expect(
        named('sink broken').map(({ failed, attributes }) => [failed, attributes['msg.attempt']]),
      ).toEqual([
        [true, 1],
        [true, 2],
      ]);
      expect(named('sink broken')[0]?.attributes['error.type']).toBe('MSG_SINK_UNAVAILABLE');

      const published = named('publish').find(({ failed }) => !failed);
      expect(wayOf(published)).toEqual([CALLER.spanId, 'msg.MsgService/Publish', 'publish']);
      expect(published).toMatchObject({
        kind: 'producer',
        attributes: { 'messaging.destination.name': name },
      });
      const commands = ofCaller().filter(({ parentSpanId }) => parentSpanId === published?.spanId);
      expect(commands.map(command => command.name)).toContain('redis EVALSHA');
      for (const command of commands) {
        expect(command.attributes['db.system.name']).toBe('redis');
        expect(command.start).toBeGreaterThanOrEqual(published?.start ?? 0n);
        expect(command.end).toBeLessThanOrEqual((published?.end ?? 0n) + 1_000_000n);
      }
      const [first, refused] = named('msg.MsgService/Publish');
      expect(first).toMatchObject({
        kind: 'server',
        parentSpanId: CALLER.spanId,
        failed: false,
        attributes: { 'rpc.method': 'Publish', 'http.response.status_code': 200 },
      });
      expect(refused).toMatchObject({ failed: false, attributes: { 'http.response.status_code': 404 } });
      expect(sent?.resource).toMatchObject({
        'service.name': 'msg',
        'service.version': 'dev',
        'cloud.region': 'eu-1',
      });
      await eventually('a trace of its own', () =>
        spans().some(span => span.name === 'msg.MsgService/ListKeys'),
      );
      const own = spans().find(span => span.name === 'msg.MsgService/ListKeys');
      expect([own?.parentSpanId, own?.traceId === CALLER.traceId]).toEqual(['', false]);
      // What the service does by itself begins no traces.
      expect(spans().filter(span => span.parentSpanId === '' && span.name.startsWith('redis'))).toEqual([]);

      const log = () => logRecords(node.output().stderr);
      const requestsOf = (traceId: unknown) =>
        log().filter(record => record['msg'] === 'http_request' && record['trace_id'] === traceId);
      // The record of the last request; those before it are written before it.
      await eventually('the records', () => requestsOf(own?.traceId).length === 1);
      expect(requestsOf(CALLER.traceId)).toHaveLength(5);
      const parked = log().find(({ msg }) => msg === 'delivery parked as a dead letter');
      expect(parked?.['trace_id']).toBe(CALLER.traceId);
      for (const { body } of collector.received) expect(body).not.toContain(node.token);
    } finally {
      await node.stop();
    }
  });

  test('a caller that does not sample is not traced, and a broken traceparent begins a new trace', async () => {
    const server = await startServer({ env: { MSG_OTLP_ENDPOINT: `${endpoint}/v1/traces` } });
    const before = collector.received.length;
    try {
      const authorization = `Bearer ${server.token}`;
      const traceId = 'a'.repeat(32);
      const call = (header: string) =>
        post(server.url, 'ListKeys', '{}', { authorization, traceparent: header });
      await call(`00-${traceId}-${CALLER.spanId}-00`);
      await call(`00-${'0'.repeat(32)}-${CALLER.spanId}-01`);
    } finally {
      await server.stop(); // sends what is left
    }
    const late = collector.received.slice(before).flatMap(({ bytes }) => readOtlp(bytes));
    expect(late).toHaveLength(1);
    expect(late[0]?.parentSpanId).toBe('');
    for (const { path, headers } of collector.received)
      expect([path, headers['content-type']]).toEqual(['/v1/traces', 'application/x-protobuf']);
  });

  test('spans say which of several threads has sent them, and each thread has the headers for the collector', async () => {
    const before = collector.received.length;
    const since = () => collector.received.slice(before);
    const server = await startServer({
      args: ['--threads', '2'],
      env: { MSG_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=t-1' },
    });
    const threads = () =>
      since()
        .flatMap(({ bytes }) => readOtlp(bytes))
        .filter(({ name }) => name === 'msg.MsgService/ListKeys')
        .map(({ attributes }) => Number(attributes['thread']));
    try {
      await eventually(
        'spans of both threads',
        async () => {
          // A connection of its own goes to the thread that has fewer.
          const headers = { authorization: `Bearer ${server.token}`, connection: 'close' };
          await post(server.url, 'ListKeys', '{}', headers).catch(() => undefined);
          return new Set(threads()).size === 2;
        },
        40_000,
        100,
      );
    } finally {
      await server.stop();
    }
    expect(new Set(threads())).toEqual(new Set([1, 2]));
    for (const { headers } of since()) expect(headers['x-tenant']).toBe('t-1');
  });

  test('what main delivers for a thread continues the trace of the request', async () => {
    const config = join(await temporaryFolder(), 'msg.yaml');
    writeFileSync(config, `sinks: { hooks: { kind: webhook, url: "${hookUrl}" } }\n`);
    const env = { MSG_OTLP_ENDPOINT: endpoint };
    const server = await startServer({ args: ['--threads', '2', '--config', config], env });
    const before = hook.received.length;
    try {
      const name = 'public:shop.order.8';
      const headers = { authorization: `Bearer ${server.token}`, traceparent };
      const request = { name, data: '', sink: 'hooks', message: { body: 'b' } };
      await post(server.url, 'OpenPublic', JSON.stringify({ name }), headers);
      expect((await post(server.url, 'PublishOrSink', JSON.stringify(request), headers)).status).toBe(200);
    } finally {
      await server.stop(); // sends what is left
    }
    const [sent] = named('sink hooks');
    const above = ofCaller().find(({ spanId }) => spanId === sent?.parentSpanId);
    expect(above?.name).toBe('msg.MsgService/PublishOrSink');
    expect([above?.attributes['thread'], sent?.attributes['thread']]).toEqual([expect.anything(), undefined]);
    expect(hook.received[before]?.headers['traceparent']).toBe(`00-${CALLER.traceId}-${sent?.spanId}-01`);
  });

  test('a publish of a thread is one trace to the store that main has', async () => {
    const env = { MSG_OTLP_ENDPOINT: endpoint };
    const node = await startNode(redis.address, 'threads', { args: ['--threads', '2'], env });
    const name = 'public:shop.order.9';
    try {
      const headers = { authorization: `Bearer ${node.token}`, traceparent };
      await post(node.url, 'OpenPublic', JSON.stringify({ name }), headers);
      expect((await post(node.url, 'Publish', JSON.stringify({ name, data: '' }), headers)).status).toBe(200);
    } finally {
      await node.stop(); // sends what is left
    }
    const published = named('publish').find(
      ({ attributes }) => attributes['messaging.destination.name'] === name,
    );
    const commands = ofCaller().filter(({ parentSpanId }) => parentSpanId === published?.spanId);
    expect(commands.map(command => [command.name, command.attributes['thread']])).toContainEqual([
      'redis EVALSHA',
      undefined,
    ]);
    expect(published?.attributes['thread']).toEqual(expect.any(Number));
  });

  test('a collector that does not answer is logged once and delays no request', async () => {
    const server = await startServer({ env: { MSG_OTLP_ENDPOINT: 'http://127.0.0.1:9' } });
    try {
      const rpc = rpcOf(server.url, server.token);
      const warnings = () =>
        logRecords(server.output().stderr).filter(({ msg }) => msg === 'traces cannot be sent');
      expect((await rpc('ListKeys', {})).status).toBe(200);
      await eventually('the warning', () => warnings().length === 1);
      expect((await rpc('ListKeys', {})).status).toBe(200);
    } finally {
      await server.stop();
    }
    expect(
      logRecords(server.output().stderr).filter(({ msg }) => msg === 'traces cannot be sent'),
    ).toHaveLength(1);
  });
});

/** Starts a server that notes which modules it loads, calls it once, and answers those of OpenTelemetry. */
async function tracingModules(env: Record<string, string>): Promise<string[]> {
  const folder = await temporaryFolder();
  const list = join(folder, 'modules');
  const recorder = join(folder, 'recorder.mjs');
  writeFileSync(list, '');
  writeFileSync(
    recorder,
    `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); } });
`,
  );
  const server = await startServer({ env: { ...env, NODE_OPTIONS: `--import=${recorder}` } });
  await rpcOf(server.url, server.token)('ListKeys', {});
  await server.stop();
  const loaded = readFileSync(list, 'utf8').split('\n');
  expect(loaded.some(url => url.includes('/src/msg.ts'))).toBe(true);
  // The metrics library loads the interfaces of OpenTelemetry, which do nothing by themselves.
  return loaded.filter(url => /@opentelemetry\/(?!api\/)|tracing\/otlp/.test(url));
}

test('without a collector no module of tracing is loaded', async () => {
  expect(await tracingModules({})).toEqual([]);
  expect((await tracingModules({ MSG_OTLP_ENDPOINT: endpoint })).length).toBeGreaterThan(5);
});

test('an endpoint that is not an address fails the boot', async () => {
  await expect(startServer({ env: { MSG_OTLP_ENDPOINT: 'collector:4318' } })).rejects.toThrow(
    /observability\.otlp_endpoint: must be an http or https address/,
  );
});
