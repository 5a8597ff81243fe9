import { inspect } from 'node:util';
import { freePort } from '@msg/testkit';
import { expect, test } from 'vitest';
import { SlackSink } from '#src/notify/sinks/slack/sink.ts';
import { hookServer } from './support/servers.ts';

test.each([
  [{ subject: 'Order 7', body: 'paid', metadata: {} }, '{"text":"*Order 7*\\npaid"}'],
  [{ subject: '', body: 'paid', metadata: { a: 'b' } }, '{"text":"paid","metadata":{"a":"b"}}'],
  [{ subject: '', body: '', metadata: {} }, '{"text":""}'],
])('a message is one JSON text', async (message, body) => {
  const { server, url } = await hookServer({ status: 200, body: 'ok' });
  const sink = new SlackSink({ webhookUrl: `${url}/services/T/B/x` });
  await sink.send(undefined, message);
  await sink.send({ anything: 'goes' }, message);
  expect(server.received.map(hook => [hook.path, hook.headers['content-type'], hook.body])).toEqual([
    ['/services/T/B/x', 'application/json', body],
    ['/services/T/B/x', 'application/json', body],
  ]);
});

test('failures are those of webhooks under their own name, without the address', async () => {
  const { url } = await hookServer({ status: 404 });
  const message = { subject: '', body: 'b', metadata: {} };
  await expect(new SlackSink({ webhookUrl: url }).send(null, message)).rejects.toMatchObject({
    code: 'MSG_SINK_UNAVAILABLE',
    transient: false,
    message: 'slack webhook returned 404 Not Found',
  });
  const webhookUrl = `http://127.0.0.1:${await freePort()}/services/hidden`;
  const sink = new SlackSink({ webhookUrl });
  const failure = await sink.send(null, message).catch((error: unknown) => error);
  expect(failure).toMatchObject({ transient: true });
  expect(inspect([failure, sink], { depth: 10, showHidden: true })).not.toContain('hidden');
});

test.each([[{}], [{ webhookUrl: '' }], [{ webhookUrl: 'hidden' }]])('%j is not a configuration', options => {
  const construct = () => new SlackSink(options as { webhookUrl: string });
  expect(construct).toThrow(expect.objectContaining({ code: 'MSG_SINK_CONFIG_INVALID' }));
  expect(construct).not.toThrow(/hidden/);
});

test('there is nothing to decode', () => {
  expect(new SlackSink({ webhookUrl: 'https://hooks.slack.com/x' }).decodeRecipient()).toBeNull();
});
