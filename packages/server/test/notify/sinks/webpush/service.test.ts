import { systemClock } from '@msg/foundation/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Msg } from '#src/index.ts';
import type { GoneRecipient } from '#src/notify/sinks/retrying.ts';
import { WebPushSink } from '#src/notify/sinks/webpush/sink.ts';
import { pushService, Subscription, TRUSTING, VAPID } from '../support/push-service.ts';

const NOBODY = 'public:shop.nobody';
const MESSAGE = { subject: 'Order 7', body: 'paid', metadata: {} };
const { server, origin } = await pushService();
const gone: GoneRecipient[] = [];
let msg: Msg;
let address = '';

async function rpc(method: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${address}/twirp/msg.MsgService/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${msg.tokens.issueManagement('ops').token}`,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

beforeAll(async () => {
  msg = await Msg.start({
    listen: { port: 0 },
    sinks: [
      new WebPushSink({
        name: 'push',
        vapidSubject: 'mailto:ops@example.com',
        vapidPrivateKey: VAPID.privateKey,
        allowPrivate: true,
        fetch: TRUSTING,
        clock: systemClock,
      }),
    ],
    onRecipientGone(recipient) {
      gone.push(recipient);
      throw new Error('the application fails');
    },
  });
  address = msg.addresses[0]?.url ?? '';
});
afterAll(async () => {
  await msg.stop();
  await server.close();
});

describe('a service with a Web Push sink', () => {
  it('tells the public key in its manifest', async () => {
    const manifest = msg.manifest();
    expect(manifest.payload).toMatchObject({ sinks: ['push'], webpush: { push: VAPID.publicKey } });
    expect(JSON.stringify(manifest)).not.toContain(VAPID.privateKey);
  });

  it('reaches a browser without an open page', async () => {
    const subscription = new Subscription(origin);
    const { body } = await rpc('PublishOrSink', {
      name: NOBODY,
      json: { order: 7 },
      sink: 'push',
      recipient: subscription.recipient,
      message: MESSAGE,
    });
    expect(body).toMatchObject({ outcome: 'sent', via: 'sink' });
    const sent = subscription.decrypted(server.received.at(-1)?.bytes ?? new Uint8Array());
    expect(sent).toEqual({ subject: 'Order 7', body: 'paid', channel: NOBODY });
  });

  it('says that a subscription is gone, to the caller and to the application, and parks nothing', async () => {
    server.behaviour = { status: 410 };
    const { recipient } = new Subscription(origin);
    const answer = await rpc('PublishOrSink', {
      name: NOBODY,
      json: 1,
      sink: 'push',
      recipient,
      message: MESSAGE,
    });
    expect([answer.status, answer.body['code'], answer.body['meta']]).toEqual([
      412,
      'failed_precondition',
      expect.objectContaining({ code: 'MSG_SINK_RECIPIENT_GONE' }),
    ]);
    expect(gone).toEqual([{ sink: 'push', recipient, channel: NOBODY }]);
    expect((await rpc('DlqCount', {})).body['count']).toBe(0);
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(metrics).toContain('msg_sink_recipients_gone_total{sink="push"} 1');
  });

  it('shows no secret of a recipient in its listings, and sends a dead letter again with all of it', async () => {
    server.behaviour = { status: 403, body: 'the key is not known' };
    const subscription = new Subscription(origin);
    const { recipient } = subscription;
    const parked = await rpc('PublishOrSink', {
      name: NOBODY,
      json: 1,
      sink: 'push',
      recipient,
      message: MESSAGE,
    });
    expect(parked.body).toMatchObject({ outcome: 'parked' });
    const shown = { endpoint: `${origin}/…${recipient.endpoint.slice(-6)}` };
    const list = await rpc('DlqList', { sink: 'push' });
    const [item] = list.body['items'] as { id: string; recipient: unknown; last_error: string }[];
    expect(item).toMatchObject({
      recipient: shown,
      last_error: `push service ${new URL(origin).host} returned 403 Forbidden: the key is not known`,
    });
    const id = item?.id ?? '';
    const subject = { subject: 'Order 8', body: 'paid', metadata: {} };
    const answers = [
      list,
      await rpc('DlqGet', { id }),
      await rpc('DlqUpdate', { id, message: subject }),
      await rpc('DlqRedrive', { sink: 'push', all: true, dry_run: true }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      const text = JSON.stringify(body);
      expect(text).toContain(shown.endpoint);
      for (const secret of [recipient.keys.auth, recipient.keys.p256dh, new URL(recipient.endpoint).pathname])
        expect(text).not.toContain(secret);
    }
    server.behaviour = { status: 201 };
    expect((await rpc('DlqReplay', { id })).body).toMatchObject({ outcome: 'sent' });
    const sent = subscription.decrypted(server.received.at(-1)?.bytes ?? new Uint8Array());
    expect(sent).toEqual({ subject: 'Order 8', body: 'paid', channel: NOBODY });
  });
});
