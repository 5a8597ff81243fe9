import { inspect } from 'node:util';
import { freePort } from '@msg/testkit';
import { describe, expect, test } from 'vitest';
import { SIGNATURE_HEADER, verifyWebhook } from '#src/sinks/signature.ts';
import { type WebhookOptions, WebhookSink } from '#src/sinks/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hookServer } from './support/servers.ts';

const MESSAGE = { subject: 'Order 7', body: 'päid\n', metadata: { order: '7' } };
const failureOf = (sent: Promise<void>) =>
  sent.then(
    () => 'sent',
    (error: { code: string; transient?: boolean; message: string }) => error,
  );

describe('a webhook post', () => {
  test('carries subject, body and metadata as JSON', async () => {
    const { server, url } = await hookServer();
    await new WebhookSink({ url: `${url}/hook?k=v` }).send(null, MESSAGE);
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        path: '/hook?k=v',
        headers: expect.objectContaining({ 'content-type': 'application/json' }),
        body: '{"subject":"Order 7","body":"päid\\n","metadata":{"order":"7"}}',
      },
    ]);
    expect(server.received[0]?.headers).not.toHaveProperty(SIGNATURE_HEADER.toLowerCase());
  });

  test('leaves out what is empty', async () => {
    const { server, url } = await hookServer({ status: 204 });
    const sink = new WebhookSink({ url });
    await sink.send({}, { subject: '', body: '', metadata: {} });
    await sink.send({ url: '' }, { subject: '', body: 'b', metadata: {} });
    expect(server.received.map(({ body }) => body)).toEqual(['{}', '{"body":"b"}']);
  });

  test('has the configured headers, which win over the content type', async () => {
    const { server, url } = await hookServer();
    const headers = { 'Content-Type': 'application/x-mine', Authorization: 'Bearer s3' };
    await new WebhookSink({ url, headers }).send(null, MESSAGE);
    expect(server.received[0]?.headers).toMatchObject({
      'content-type': 'application/x-mine',
      authorization: 'Bearer s3',
    });
  });

  test.each([[{ url: '/b' }], [{ URL: '/b' }], [{ Url: '/b', other: 1 }]])(
    'goes to the recipient %j',
    async recipient => {
      const { server, url } = await hookServer();
      const absolute = Object.fromEntries(
        Object.entries(recipient).map(([key, value]) => [key, value === '/b' ? `${url}/b` : value]),
      );
      await new WebhookSink({ url: `${url}/a` }).send(absolute, MESSAGE);
      expect(server.received.map(({ path }) => path)).toEqual(['/b']);
    },
  );

  test.each([
    ['a text', 'http://127.0.0.1/'],
    ['a list', ['http://127.0.0.1/']],
    ['a number as url', { url: 7 }],
    ['no URL', { url: 'somewhere' }],
    ['another scheme', { url: 'file:///etc/passwd' }],
    ['credentials', { url: 'http://u:p@127.0.0.1/' }],
  ])('is not made for %s as recipient', async (_, recipient) => {
    const { server, url } = await hookServer();
    const failure = await failureOf(new WebhookSink({ url }).send(recipient, MESSAGE));
    expect(failure).toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    expect(server.received).toMatchObject([]);
  });

  test('is not made where allowUrl refuses; the configured URL is not asked about', async () => {
    const { server, url } = await hookServer();
    const sink = new WebhookSink({ url, allowUrl: ({ hostname }) => hostname === 'example.com' });
    expect(await failureOf(sink.send({ url: `${url}/b` }, MESSAGE))).toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: "the recipient's url is not allowed",
    });
    await sink.send(null, MESSAGE);
    expect(server.received).toHaveLength(1);
  });

  test('is signed with the secret over the very bytes', async () => {
    const clock = new FakeClock();
    const { server, url } = await hookServer();
    const headers = { 'x-msg-signature': 'forged' };
    await new WebhookSink({ url, headers, signingSecret: 's3', clock }).send(null, MESSAGE);
    const [hook] = server.received;
    const header = String(hook?.headers[SIGNATURE_HEADER.toLowerCase()]);
    const signed = { header, body: hook?.body ?? '', secret: 's3', now: clock.now() };
    expect(header).toMatch(new RegExp(`^t=${Math.floor(clock.now() / 1000)},v1=[0-9a-f]{64}$`));
    expect(verifyWebhook(signed)).toBe(true);
    expect(verifyWebhook({ ...signed, now: clock.now() + 300_000 })).toBe(true);
    expect(verifyWebhook({ ...signed, now: clock.now() + 302_000 })).toBe(false);
    expect(verifyWebhook({ ...signed, now: clock.now() - 302_000 })).toBe(false);
    expect(verifyWebhook({ ...signed, secret: 's4' })).toBe(false);
    expect(verifyWebhook({ ...signed, body: `${signed.body} ` })).toBe(false);
    expect(verifyWebhook({ ...signed, header: undefined })).toBe(false);
    expect(verifyWebhook({ ...signed, header: header.replace('t=', 't=1') })).toBe(false);
    expect(verifyWebhook({ ...signed, header: `${header},v1=0` })).toBe(false);
  });
});

test('the signature is the one that any other HMAC gives', () => {
  // printf '1767323045.{"body":"b"}' | openssl dgst -sha256 -hmac whsec -hex
  const webhook = {
    secret: 'whsec',
    header: 't=1767323045,v1=838639b94f73929f5a94f642a846f49baf708fa9798fa3fd8ef31722ae7ff3c0',
    body: '{"body":"b"}',
    now: 1_767_323_045_000,
  };
  expect(verifyWebhook(webhook)).toBe(true);
});

describe('a webhook post that fails', () => {
  test.each([
    [300, false, 'webhook returned 300 Multiple Choices'],
    [302, false, 'webhook returned 302 Found'],
    [400, false, 'webhook returned 400 Bad Request'],
    [404, false, 'webhook returned 404 Not Found'],
    [429, true, 'webhook returned 429 Too Many Requests'],
    [500, true, 'webhook returned 500 Internal Server Error'],
    [503, true, 'webhook returned 503 Service Unavailable'],
    [599, true, 'webhook returned 599'],
  ])('with %i', async (status, transient, message) => {
    const { server, url } = await hookServer({ status, headers: { location: '/elsewhere' }, body: 'why' });
    const failure = await failureOf(new WebhookSink({ url }).send(null, MESSAGE));
    expect(failure).toMatchObject({ code: 'MSG_SINK_UNAVAILABLE', transient, message });
    expect(server.received, 'redirects are not followed').toHaveLength(1);
  });

  test('with a redirect that its fetch shows as status 0', async () => {
    const sink = new WebhookSink({
      url: 'http://example.com',
      fetch: async () => ({ status: 0, body: null }),
    });
    expect(await failureOf(sink.send(null, MESSAGE))).toMatchObject({ transient: false });
  });

  test('because nobody listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}/secret-path`;
    const failure = await failureOf(new WebhookSink({ url }).send(null, MESSAGE));
    expect(failure).toMatchObject({ transient: true, message: 'webhook cannot be reached: ECONNREFUSED' });
  });

  test('because the connection is reset', async () => {
    const { url } = await hookServer('reset');
    const failure = await failureOf(new WebhookSink({ url }).send(null, MESSAGE));
    expect(failure).toMatchObject({ code: 'MSG_SINK_UNAVAILABLE', transient: true });
  });

  test('because there is no answer for 10 s', async () => {
    const clock = new FakeClock();
    const { server, url } = await hookServer('hang');
    const failure = failureOf(new WebhookSink({ url, clock }).send(null, MESSAGE));
    await server.got(1);
    await clock.advance(9999);
    expect(server.connections).toBe(1);
    await clock.advance(1);
    expect(await failure).toMatchObject({ transient: true, message: 'webhook did not answer within 10 s' });
    expect(clock.pending).toBe(0);
  });

  test('because the caller gave up', async () => {
    const { server, url } = await hookServer('hang');
    const caller = new AbortController();
    const failure = failureOf(new WebhookSink({ url }).send(null, MESSAGE, { signal: caller.signal }));
    await server.got(1);
    caller.abort();
    expect(await failure).toMatchObject({ transient: false, message: 'the delivery was cancelled' });
  });

  test('shows neither URL nor headers nor secret in anything', async () => {
    const url = `http://127.0.0.1:${await freePort()}/hidden-1?token=hidden-2`;
    const sink = new WebhookSink({ url, headers: { authorization: 'hidden-3' }, signingSecret: 'hidden-4' });
    const failure = await failureOf(sink.send(null, MESSAGE));
    expect(inspect(failure, { depth: 10, showHidden: true }) + inspect(sink)).not.toContain('hidden');
    expect(JSON.stringify(sink)).toBe('{"name":"webhook"}');
  });
});

describe('the body of an answer', () => {
  test.each([[200], [500]])('that never ends is cut, and status %i counts', async status => {
    const clock = new FakeClock();
    const { server, url } = await hookServer({ endless: status });
    const outcome = failureOf(new WebhookSink({ url, clock }).send(null, MESSAGE));
    expect(await outcome).toEqual(status === 200 ? 'sent' : expect.objectContaining({ transient: true }));
    await expect.poll(() => server.cutStreams).toBe(1);
    expect(server.streamed).toBeLessThan(16 * 1024 * 1024);
    await expect.poll(() => clock.pending).toBe(0);
  });

  test('that stalls holds nothing up and is ended after a second', async () => {
    const clock = new FakeClock();
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      cancel() {
        cancelled = true;
      },
    });
    const sink = new WebhookSink({
      url: 'http://example.com',
      clock,
      fetch: async () => ({ status: 200, body }),
    });
    expect(await failureOf(sink.send(null, MESSAGE))).toBe('sent');
    await clock.advance(999);
    expect(cancelled).toBe(false);
    await clock.advance(1);
    expect(cancelled).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('a webhook configuration', () => {
  test.each<[string, Partial<WebhookOptions>]>([
    ['url is required', {}],
    ['url is required', { url: '' }],
    ['url is no URL', { url: 'hidden' }],
    ['url must be http or https', { url: 'ftp://hidden/' }],
    [
      'url must not hold credentials, they belong into a header',
      { url: 'https://hidden:hidden@example.com/' },
    ],
    [
      'headers: "bad name" is no HTTP header',
      { url: 'https://example.com/', headers: { 'bad name': 'hidden' } },
    ],
    [
      'headers: "x" is no HTTP header',
      { url: 'https://example.com/', headers: { x: 'hidden\r\nhidden: 1' } },
    ],
  ])('%s', (problem, options) => {
    const construct = () => new WebhookSink(options as WebhookOptions);
    expect(construct).toThrow(
      expect.objectContaining({ code: 'MSG_SINK_CONFIG_INVALID', message: `webhook sink: ${problem}` }),
    );
  });

  test('names the sink', () => {
    expect(new WebhookSink({ url: 'https://example.com/' }).name).toBe('webhook');
    expect(new WebhookSink({ url: 'https://example.com/', name: 'orders' }).name).toBe('orders');
  });
});
