import { eventually, WebhookReceiver } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startNode } from '../support/cluster.ts';
import { type ReceivedSpan, readOtlp } from '../support/otlp.ts';
import { SECRET_PAYLOAD } from '../support/server.ts';
import { closeClients, codeOf, stockClient } from '../support/stock-client.ts';

let redis: RedisServer;
let collector: WebhookReceiver;
let endpoint: string;

beforeAll(async () => {
  redis = await RedisServer.start();
  collector = new WebhookReceiver({ status: 200, headers: { 'content-type': 'application/x-protobuf' } });
  endpoint = await collector.listen();
});
afterEach(closeClients);
afterAll(async () => {
  await collector.close();
  await redis.stop();
});

const spans = (): ReceivedSpan[] => collector.received.flatMap(({ bytes }) => readOtlp(bytes));
const publishes = (): ReceivedSpan[] => spans().filter(({ name }) => name === 'publish');

test('a publish of a client is a trace of its own, with its Redis commands; a refused one says why', async () => {
  const node = await startNode(redis.address, 'traced-clients', { env: { MSG_OTLP_ENDPOINT: endpoint } });
  const name = 'private:shop.order.7';
  let token = '';
  try {
    const { body } = await node.rpc('CreatePrivate', { name, subject: 'u-secret' });
    token = String(body['access_token']);
    const client = stockClient(node.websocketUrl, { token });
    client.connect();
    expect(await codeOf(client.publish(name, { text: SECRET_PAYLOAD }))).toBe('ok');
    expect(await codeOf(client.publish('private:shop.order.8', { text: SECRET_PAYLOAD }))).toBe(102);
    expect(await codeOf(client.publish('no name at all', { text: SECRET_PAYLOAD }))).toBe(107);
    await eventually('the spans', () => publishes().length === 3);
  } finally {
    await node.stop(); // sends what is left
  }

  const size = JSON.stringify({ text: SECRET_PAYLOAD }).length;
  const of = (channel: string) => ({
    'messaging.destination.name': channel,
    'messaging.message.body.size': size,
  });
  // Which of several threads has sent it stands in tracing.test.ts.
  const told = publishes().map(({ failed, attributes: { thread: _thread, ...others } }) => [failed, others]);
  expect(told).toEqual([
    [false, of(name)],
    [true, { ...of('private:shop.order.8'), 'error.type': 'MSG_CHANNEL_CLOSED' }],
    [true, { 'messaging.message.body.size': size, 'error.type': 'MSG_CHANNEL_INVALID' }],
  ]);
  for (const { kind, parentSpanId } of publishes()) expect([kind, parentSpanId]).toEqual(['producer', '']);
  expect(new Set(publishes().map(({ traceId }) => traceId)).size).toBe(3);

  const [published] = publishes();
  const commands = spans().filter(({ parentSpanId }) => parentSpanId === published?.spanId);
  expect(commands.map(command => command.name)).toContain('redis EVALSHA');
  for (const { traceId, kind } of commands) expect([traceId, kind]).toEqual([published?.traceId, 'client']);
  for (const { body } of collector.received) {
    for (const secret of [SECRET_PAYLOAD, token, 'u-secret', 'no name at all'])
      expect(body).not.toContain(secret);
  }
});
