import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { WebhookBehaviour } from '@msg/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SinkFailure } from '#src/notify/sinks/failure.ts';
import { PushServices } from '#src/notify/sinks/webpush/push-services.ts';
import { create, type WebPushOptions, WebPushSink } from '#src/notify/sinks/webpush/sink.ts';
import { generateVapidKeys, VapidKey } from '#src/notify/sinks/webpush/vapid.ts';
import {
  pushService,
  Subscription,
  TRUSTING,
  trusting,
  VAPID,
  verifiedVapid,
} from '../support/push-service.ts';

const MESSAGE = { subject: 'Order 7', body: 'paid', metadata: { order: '7' } };
const EMPTY = { subject: '', body: '', metadata: {} };

function sinkOf(options: Partial<WebPushOptions> = {}): WebPushSink {
  return new WebPushSink({
    vapidSubject: 'mailto:ops@example.com',
    vapidPrivateKey: VAPID.privateKey,
    allowPrivate: true,
    fetch: TRUSTING,
    // Its time stands still: no send is late because the machine is busy.
    clock: new ManualClock(),
    ...options,
  });
}

async function serviceOf(behaviour?: WebhookBehaviour) {
  const { server, origin } = await pushService(behaviour);
  onTestFinished(() => server.close());
  return { server, origin, subscription: new Subscription(origin) };
}

/** The failure of one send to a push service that behaves so. */
async function failureOf(behaviour: WebhookBehaviour, clock = new ManualClock()): Promise<SinkFailure> {
  const { subscription } = await serviceOf(behaviour);
  const error: unknown = await sinkOf({ clock })
    .send(subscription.recipient, MESSAGE)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SinkFailure);
  return error as SinkFailure; // as the line before says
}

describe('a push message', () => {
  it('is encrypted for the browser, and has what the protocol asks for', async () => {
    const { server, origin, subscription } = await serviceOf();
    const clock = new ManualClock();
    await sinkOf({ clock }).send(subscription.recipient, MESSAGE, { channel: 'public:shop.order.7' });
    const [request] = server.received;
    expect(request?.path).toBe(new URL(subscription.recipient.endpoint).pathname);
    expect(request?.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: '86400',
      urgency: 'normal',
    });
    expect(request?.headers).not.toHaveProperty('topic');
    expect(subscription.decrypted(request?.bytes ?? new Uint8Array())).toEqual({
      ...MESSAGE,
      channel: 'public:shop.order.7',
    });
    const claims = await verifiedVapid(request?.headers.authorization ?? '', clock.now());
    expect(claims).toEqual({
      aud: origin,
      exp: Math.floor(clock.now() / 1000) + 12 * 3600,
      sub: 'mailto:ops@example.com',
      key: VAPID.publicKey,
    });
  });

  it('leaves out what is empty, and takes time, urgency and topic of the recipient', async () => {
    const { server, subscription } = await serviceOf();
    const recipient = { ...subscription.recipient, ttl: 0, urgency: 'high', topic: 'order-7' };
    await sinkOf().send(recipient, EMPTY);
    const [request] = server.received;
    expect(request?.headers).toMatchObject({ ttl: '0', urgency: 'high', topic: 'order-7' });
    expect(subscription.decrypted(request?.bytes ?? new Uint8Array())).toEqual({});
  });

  it('of one byte too many is refused with both numbers, and nothing is sent', async () => {
    const { server, subscription } = await serviceOf();
    const sink = sinkOf();
    const body = 'a'.repeat(3993 - '{"body":""}'.length);
    await sink.send(subscription.recipient, { ...EMPTY, body });
    await expect(sink.send(subscription.recipient, { ...EMPTY, body: `${body}a` })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: 'the message has 3994 bytes as JSON; a push message has at most 3993',
    });
    expect(server.received).toHaveLength(1);
  });

  it('has one token for each push service until an hour before its end', async () => {
    const [first, second] = [await serviceOf(), await serviceOf()];
    const clock = new ManualClock();
    const sink = sinkOf({ clock });
    for (const { subscription } of [first, second]) await sink.send(subscription.recipient, MESSAGE);
    await clock.advance(10.9 * 3_600_000);
    await sink.send(first.subscription.recipient, MESSAGE);
    await clock.advance(0.2 * 3_600_000);
    await sink.send(first.subscription.recipient, MESSAGE);
    const headers = first.server.received.map(request => request.headers.authorization ?? '');
    expect(headers[1]).toBe(headers[0]);
    expect(headers[2]).not.toBe(headers[0]);
    expect(second.server.received[0]?.headers.authorization).not.toBe(headers[0]);
    const claims = await Promise.all(headers.map(header => verifiedVapid(header, clock.now())));
    expect(claims.map(({ aud }) => aud)).toEqual([first.origin, first.origin, first.origin]);
  });

  it('goes over connections that are used again, at most fifty to one service', async () => {
    const { server, subscription } = await serviceOf();
    const sink = sinkOf();
    let most = 0;
    const sends = Array.from({ length: 500 }, async () => {
      await sink.send(subscription.recipient, MESSAGE);
      most = Math.max(most, server.connections);
    });
    await Promise.all(sends);
    expect(server.received).toHaveLength(500);
    expect(most).toBeLessThanOrEqual(50);
    expect(server.accepted).toBeLessThanOrEqual(50);
  });
});

it('a message that finds no free connection for a minute may be tried again', async () => {
  const clock = new ManualClock();
  const services = new PushServices(new VapidKey(VAPID.privateKey), 'mailto:ops@example.com', clock);
  const never = new Promise<void>(() => {});
  const origin = 'https://push.example.com';
  for (let sending = 0; sending < 50; sending++) void services.inTurn(origin, () => never);
  const late = expect(services.inTurn(origin, async () => {})).rejects.toMatchObject({
    transient: true,
    message: 'the push service had no free connection within 60 s',
  });
  await clock.advance(60_000);
  await late;
  await services.inTurn('https://other.example.com', async () => {});
});

describe('the answer of a push service', () => {
  it.each([200, 201, 202, 204])('%i: sent', async status => {
    const { subscription } = await serviceOf({ status });
    await sinkOf().send(subscription.recipient, MESSAGE);
  });

  it.each([404, 410])('%i: the recipient is gone for good', async status => {
    const failure = await failureOf({ status });
    expect(failure).toMatchObject({ code: 'MSG_SINK_RECIPIENT_GONE', transient: false });
    expect(failure.message).toMatch(
      /^push service 127\.0\.0\.1:\d+ says that the subscription has ended: delete it, and ask the user again$/,
    );
  });

  it.each<[WebhookBehaviour, number]>([
    [{ status: 429 }, 0],
    [{ status: 500 }, 0],
    [{ status: 503, headers: { 'retry-after': '60' } }, 60_000],
    [{ status: 429, headers: { 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' } }, 30_000],
    [{ status: 429, headers: { 'retry-after': 'soon' } }, 0],
  ])('%j: tried again', async (behaviour, retryAfterMs) => {
    expect(await failureOf(behaviour)).toMatchObject({
      code: 'MSG_SINK_UNAVAILABLE',
      transient: true,
      retryAfterMs,
    });
  });

  it('429 with a wait of more than a minute is not waited for', async () => {
    const failure = await failureOf({ status: 429, headers: { 'retry-after': '61' } });
    expect(failure.transient).toBe(false);
    expect(failure.message).toMatch(/ returned 429 Too Many Requests, and asks to wait 61 s$/);
  });

  it.each([400, 401, 403, 413, 302])(
    '%i: not tried again, with the beginning of the answer',
    async status => {
      const body = `no\n${'x'.repeat(5000)}`;
      const failure = await failureOf({ status, body, headers: { location: '/elsewhere' } });
      expect(failure).toMatchObject({ code: 'MSG_SINK_UNAVAILABLE', transient: false });
      expect(failure.message).toContain(` returned ${status} `);
      expect(failure.message.endsWith(`: no ${'x'.repeat(197)}`)).toBe(true);
    },
  );

  it('that never ends is read for 4 KiB', async () => {
    const { server, subscription } = await serviceOf({ endless: 400 });
    const error = await sinkOf()
      .send(subscription.recipient, MESSAGE)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ transient: false, code: 'MSG_SINK_UNAVAILABLE' });
    expect(server.streamed).toBeLessThan(4_000_000);
  });

  it('of 10 MB is not read, and what was sent stays sent', async () => {
    const { subscription } = await serviceOf({ status: 201, body: 'x'.repeat(10_000_000) });
    await sinkOf().send(subscription.recipient, MESSAGE);
    const failure = await failureOf({ status: 500, body: 'x'.repeat(10_000_000) });
    expect(failure).toMatchObject({ code: 'MSG_SINK_UNAVAILABLE', transient: true });
    expect(failure.message.length).toBeLessThan(400);
  });

  it('that does not come, and a cut connection: tried again', async () => {
    expect(await failureOf('reset')).toMatchObject({ transient: true });
    const { server, subscription } = await serviceOf('hang');
    const clock = new ManualClock();
    const sent = sinkOf({ clock }).send(subscription.recipient, MESSAGE);
    const failed = expect(sent).rejects.toMatchObject({ transient: true });
    await server.got(1);
    await clock.advance(10_000);
    await failed;
    expect(clock.pending).toBe(0);
  });
});

describe('an endpoint', () => {
  it('whose host leads to an address that is not public is refused, and nothing is connected', async () => {
    const { server, origin } = await pushService();
    onTestFinished(() => server.close());
    const { recipient } = new Subscription(origin.replace('127.0.0.1', 'localhost'));
    const sink = new WebPushSink({ vapidSubject: 'mailto:a@b.example', vapidPrivateKey: VAPID.privateKey });
    await expect(sink.send(recipient, MESSAGE)).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message:
        "the recipient's endpoint must lead to public addresses only; allow_private of the sink allows others",
    });
    expect([server.accepted, server.received.length]).toEqual([0, 0]);
  });
});

it('an endpoint whose host leads elsewhere later is refused then, and nothing is connected', async () => {
  const { server, origin } = await pushService({ status: 201, headers: { connection: 'close' } });
  onTestFinished(() => server.close());
  const { recipient } = new Subscription(origin.replace('127.0.0.1', 'localhost'));
  const addresses = { arePublic: true };
  const sink = sinkOf({ fetch: trusting(() => addresses.arePublic) });
  await sink.send(recipient, MESSAGE);
  addresses.arePublic = false;
  await expect(sink.send(recipient, MESSAGE)).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
  expect([server.accepted, server.received.length]).toEqual([1, 1]);
});

describe('the settings of a Web Push sink', () => {
  const parts = { name: 'push', clock: systemClock, privateUrls: false };
  const settings = { vapid_subject: 'mailto:ops@example.com', vapid_private_key: VAPID.privateKey };

  it('are read with the key from a file', () => {
    const file = join(tmpdir(), `vapid-${randomBytes(6).toString('hex')}`);
    writeFileSync(file, `${VAPID.privateKey}\n`);
    const { vapid_private_key: _key, ...others } = settings;
    expect(create({ ...others, vapid_key_file: file }, parts).publicKey).toBe(VAPID.publicKey);
  });

  it.each<[object, string]>([
    [
      { vapid_private_key: '' },
      'vapid_private_key or vapid_key_file is required: `msg vapid generate` makes a key',
    ],
    [{ vapid_private_key: 'abc' }, 'vapid_private_key must be 32 bytes in base64url, 43 characters'],
    [
      { vapid_private_key: `${VAPID.privateKey}A` },
      'vapid_private_key must be 32 bytes in base64url, 43 characters',
    ],
    [{ vapid_private_key: 'A'.repeat(43) }, 'vapid_private_key must be a private key of the curve P-256'],
    [
      { vapid_private_key: `${'_'.repeat(42)}8` },
      'vapid_private_key must be a private key of the curve P-256',
    ],
    [{ vapid_key_file: '/no/such/file', vapid_private_key: '' }, 'vapid_key_file cannot be read'],
    [{ vapid_key_file: '/no/such/file' }, 'give vapid_private_key or vapid_key_file, not both'],
    [{ vapid_subject: 'ops@example.com' }, 'vapid_subject must be a mailto: or https: address'],
    [{ vapid_subject: 'http://example.com' }, 'vapid_subject must be a mailto: or https: address'],
    [{ ttl: 29 * 86_400_000 }, 'ttl must be whole seconds, at most 28 days'],
    [{ ttl: 1500 }, 'ttl must be whole seconds, at most 28 days'],
    [{ urgency: 'now' }, 'urgency must be one of very-low, low, normal, high'],
    [{ services: ['https://x'] }, 'services must hold hosts such as fcm.googleapis.com or *.push.apple.com'],
  ])('are refused: %#', (change, problem) => {
    const given = { ...settings, ...change };
    expect(() => create(given, parts)).toThrow(`webpush sink: ${problem}`);
    try {
      create(given, parts);
    } catch (error) {
      expect(error).toMatchObject({ code: 'MSG_SINK_CONFIG_INVALID' });
      expect(String(error)).not.toContain(VAPID.privateKey);
    }
  });

  it('get another key pair each time', () => {
    const pairs = Array.from({ length: 300 }, generateVapidKeys);
    expect(new Set(pairs.map(({ privateKey }) => privateKey)).size).toBe(300);
    expect(
      pairs.every(pair => sinkOf({ vapidPrivateKey: pair.privateKey }).publicKey === pair.publicKey),
    ).toBe(true);
  });
});
