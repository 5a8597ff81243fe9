import { inspect } from 'node:util';
import { ManualClock } from '@msg/foundation/clock/testing';
import { freePort } from '@msg/testkit';
import { describe, expect, test } from 'vitest';
import type { SinkMessage } from '#src/notify/sinks/contract.ts';
import { SlackSink } from '#src/notify/sinks/slack/sink.ts';
import { SIGNATURE_HEADER, verifyWebhook } from '#src/notify/sinks/webhook/signature.ts';
import { type WebhookOptions, WebhookSink } from '#src/notify/sinks/webhook/sink.ts';
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
    ['a recipient of another sink', { address: 'ann@example.com' }],
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
    const clock = new ManualClock();
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

describe('a webhook post to the URL of a recipient', () => {
  const SECRETS = {
    headers: { Authorization: 'Bearer s3', 'content-type': 'text/mine' },
    signingSecret: 's4',
  };
  const TRACED = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };

  test.each([
    ['the configured origin', 'configured', {}],
    ['an allowed origin', 'other', { allow: ['https://hooks.example.com', 'other'] }],
    ['an allowed origin, where private URLs are allowed', 'other', { allow: ['other'], privateUrls: true }],
  ] as const)(
    'of %s carries headers, signature and trace',
    async (_, to, { allow = [], ...options }: { allow?: readonly string[]; privateUrls?: boolean }) => {
      const [configured, other] = [await hookServer(), await hookServer()];
      const allowedOrigins = allow.map(origin => (origin === 'other' ? `${other.url}/` : origin));
      const sink = new WebhookSink({ url: `${configured.url}/a`, ...SECRETS, allowedOrigins, ...options });
      const target = to === 'other' ? other : configured;
      await sink.send({ url: `${target.url}/b` }, MESSAGE, TRACED);
      expect(target.server.received).toMatchObject([
        {
          path: '/b',
          headers: {
            authorization: 'Bearer s3',
            'content-type': 'text/mine',
            [SIGNATURE_HEADER.toLowerCase()]: expect.stringMatching(/^t=/),
            ...TRACED,
          },
        },
      ]);
    },
  );

  test('of another origin carries the message and nothing else', async () => {
    const [configured, other] = [await hookServer(), await hookServer()];
    const sink = new WebhookSink({
      url: configured.url,
      ...SECRETS,
      allowedOrigins: ['https://hooks.example.com', configured.url.replace('127.0.0.1', 'localhost')],
      privateUrls: true,
    });
    await sink.send({ url: `${other.url}/b` }, MESSAGE, TRACED);
    const [hook] = other.server.received;
    expect(hook).toMatchObject({ path: '/b', headers: { 'content-type': 'application/json' } });
    expect(hook?.body).toContain('Order 7');
    expect(Object.keys(hook?.headers ?? {})).not.toContain(SIGNATURE_HEADER.toLowerCase());
    expect(JSON.stringify(hook?.headers)).not.toMatch(/s3|mine|traceparent|4bf92f/);
    expect(configured.server.received).toEqual([]);
  });

  test.each([
    ['loopback', (url: string) => url],
    ['loopback over TLS', (url: string) => url.replace('http:', 'https:')],
    ['a name of loopback', (url: string) => url.replace('127.0.0.1', 'localhost')],
    ['a private network', () => 'http://10.0.0.1/'],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['an odd notation of loopback', (url: string) => url.replace('127.0.0.1', '0x7f.1.')],
    ['an IPv4-mapped address', (url: string) => url.replace('127.0.0.1', '[::ffff:7f00:1]')],
  ])('is not made for %s', async (_, change) => {
    const [configured, target] = [await hookServer(), await hookServer()];
    const sink = new WebhookSink({
      url: configured.url,
      ...SECRETS,
      allowedOrigins: ['https://a.example.com'],
    });
    expect(await failureOf(sink.send({ url: change(target.url) }, MESSAGE))).toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringContaining('--private-sink-urls'),
    });
    expect([...configured.server.received, ...target.server.received]).toEqual([]);
  });

  test('resolves the host once for each attempt, and connects to nothing that is not public', async () => {
    const { server, url } = await hookServer();
    const asked: string[] = [];
    const sink = new WebhookSink({
      url,
      ...SECRETS,
      resolve: async host => {
        asked.push(host);
        return ['8.8.8.8', '127.0.0.1'];
      },
    });
    const target = { url: url.replace('127.0.0.1', 'hooks.example.com') };
    expect(await failureOf(sink.send(target, MESSAGE))).toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    expect(asked).toEqual(['hooks.example.com']);
    expect(server.received).toEqual([]);
  });

  test('whose host cannot be resolved may be tried again', async () => {
    const sink = new WebhookSink({
      url: 'http://127.0.0.1:1/',
      resolve: () => Promise.reject(Object.assign(new Error('hidden'), { code: 'EAI_AGAIN' })),
    });
    expect(await failureOf(sink.send({ url: 'http://hooks.example.com/' }, MESSAGE))).toMatchObject({
      code: 'MSG_SINK_UNAVAILABLE',
      transient: true,
      message: 'webhook cannot be reached: EAI_AGAIN',
    });
  });

  test('whose host is not resolved within 10 s is given up', async () => {
    const clock = new ManualClock();
    const sink = new WebhookSink({ url: 'http://127.0.0.1:1/', clock, resolve: () => new Promise(() => {}) });
    const failure = failureOf(sink.send({ url: 'http://hooks.example.com/' }, MESSAGE));
    await clock.advance(10_000);
    expect(await failure).toMatchObject({ transient: true, message: 'webhook did not answer within 10 s' });
    expect(clock.pending).toBe(0);
  });

  test('does not use the fetch of the options, which may resolve the host again', async () => {
    const posted: string[] = [];
    const options = {
      url: 'http://127.0.0.1:1/',
      fetch: async (url: string) => {
        posted.push(url);
        return { status: 200, body: null };
      },
    };
    const target = { url: 'http://10.0.0.1/' };
    expect(await failureOf(new WebhookSink(options).send(target, MESSAGE))).toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
    });
    expect(posted).toEqual([]);
    await new WebhookSink({ ...options, privateUrls: true }).send(target, MESSAGE);
    expect(posted).toEqual(['http://10.0.0.1/']);
  });
});

test.each([
  ['webhook', (url: string) => new WebhookSink({ url })],
  ['slack webhook', (webhookUrl: string) => new SlackSink({ webhookUrl })],
] as const)(
  'a %s message that cannot be written as JSON is MSG_INTERNAL, and nothing is posted',
  async (label, create) => {
    const { server, url } = await hookServer();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const value of [circular, 7n]) {
      const message = { ...MESSAGE, metadata: { order: value } } as unknown as SinkMessage;
      expect(await failureOf(create(url).send(null, message))).toMatchObject({
        code: 'MSG_INTERNAL',
        message: `the ${label} message cannot be written as JSON`,
      });
    }
    expect(server.received).toEqual([]);
  },
);

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

  test('because the port has no listener', async () => {
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
    const clock = new ManualClock();
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
    const clock = new ManualClock();
    const { server, url } = await hookServer({ endless: status });
    const outcome = failureOf(new WebhookSink({ url, clock }).send(null, MESSAGE));
    expect(await outcome).toEqual(status === 200 ? 'sent' : expect.objectContaining({ transient: true }));
    await expect.poll(() => server.cutStreams).toBe(1);
    expect(server.streamed).toBeLessThan(16 * 1024 * 1024);
    await expect.poll(() => clock.pending).toBe(0);
  });

  test('that stalls holds nothing up and is ended after a second', async () => {
    const clock = new ManualClock();
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
    ['url must be a URL', { url: 'hidden' }],
    ['url must be http or https', { url: 'ftp://hidden/' }],
    [
      'url must not hold credentials, they belong into a header',
      { url: 'https://hidden:hidden@example.com/' },
    ],
    [
      'headers: "bad name" is not a valid HTTP header',
      { url: 'https://example.com/', headers: { 'bad name': 'hidden' } },
    ],
    [
      'headers: "x" is not a valid HTTP header',
      { url: 'https://example.com/', headers: { x: 'hidden\r\nhidden: 1' } },
    ],
    ...[
      'hooks.example.com',
      'https://hooks.example.com/path',
      'https://*',
      'ftp://hidden',
      'https://u:p@hidden',
      '*',
      '',
    ].map((origin): [string, Partial<WebhookOptions>] => [
      'allowed_origins must hold origins such as https://hooks.example.com',
      { url: 'https://example.com/', allowedOrigins: [origin] },
    ]),
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
