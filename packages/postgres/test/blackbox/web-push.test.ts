// msg.publish_or_sink, the worker of the service, and a push service on TLS.
import { systemClock } from '@msg/foundation/clock';
import { Msg, WebPushSink } from '@msg/server';
import { eventually } from '@msg/testkit';
import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { listDead } from '#src/index.ts';
import {
  pushService,
  Subscription,
  TRUSTING,
  VAPID,
} from '../../../server/test/notify/sinks/support/push-service.ts';
import { OutboxDatabase } from '../support/database.ts';

const CHANNEL = 'public:shop.user.ann';
const MESSAGE = '{"subject": "Order 7", "body": "paid"}';
const push = await pushService();
const gone: object[] = [];

let db: OutboxDatabase;
let msg: Msg;
beforeAll(async () => {
  db = await OutboxDatabase.start();
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
    onRecipientGone: recipient => void gone.push(recipient),
    channels: { open: [{ name: CHANNEL, ttlMs: Infinity }] },
    outbox: { url: db.url('admin'), pollIntervalMs: 20 },
  });
}, 120_000);
beforeEach(async () => {
  push.server.behaviour = { status: 201 };
  await db.clear();
});
afterAll(async () => {
  await msg.stop();
  await push.server.close();
  await db.stop();
});

/** Publishes as an application does; resolves when the worker has done it. */
async function notify({ recipient }: Subscription): Promise<void> {
  await db.app`
    SELECT msg.publish_or_sink(${CHANNEL}, '{"order": 7}', 'push', ${JSON.stringify(recipient)}::text::jsonb, ${MESSAGE}::text::jsonb)`;
  await eventually('the outbox is empty', async () => (await db.rows()).length === 0);
}

it('a user who is away gets a notification', async () => {
  const subscription = new Subscription(push.origin);
  await notify(subscription);
  const [request] = push.server.received;
  expect(subscription.decrypted(request?.bytes ?? new Uint8Array())).toEqual({
    subject: 'Order 7',
    body: 'paid',
    channel: CHANNEL,
  });
  expect(await listDead(db.sql)).toEqual([]);
});

it('a subscription that has ended is told to the application, with its row, and nothing is parked', async () => {
  push.server.behaviour = { status: 410 };
  const subscription = new Subscription(push.origin);
  await notify(subscription);
  expect(gone).toEqual([{ sink: 'push', recipient: subscription.recipient, channel: CHANNEL }]);
  expect((await listDead(db.sql)).map(({ code, channel }) => [code, channel])).toEqual([
    ['MSG_SINK_RECIPIENT_GONE', CHANNEL],
  ]);
  expect(await msg.deadLetters.count()).toBe(0);
});

it('a user with an open page gets a publication, and no notification', async () => {
  const before = push.server.received.length;
  const url = msg.addresses[0]?.url.replace('http', 'ws') ?? '';
  const client = new Centrifuge(`${url}/connection/websocket`);
  const page = client.newSubscription(CHANNEL);
  const heard: unknown[] = [];
  page.on('publication', ({ data }) => heard.push(data));
  page.subscribe();
  client.connect();
  await page.ready();
  await notify(new Subscription(push.origin));
  await eventually('the page has it', () => heard.length > 0);
  client.disconnect();
  expect(heard).toEqual([{ order: 7 }]);
  expect(push.server.received).toHaveLength(before);
});
