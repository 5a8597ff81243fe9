// docs/web-push.md: from the keys to a notification of a real service worker. Chromium reaches no push service here: its
// subscription is one of the test, and what the push service of the test got is handed to the worker.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createRpcClient } from '@msg/core';
import { connectPostgres, listDead, migrate, type OutboxConnection } from '@msg/postgres';
import { Browser, eventually, localhostCertificate, type MsgServer, runMsg, startMsg } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import { build } from 'esbuild';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pushService, Subscription } from '../packages/server/test/notify/sinks/support/push-service.ts';
import { blocksOf, readPage } from './support/pages.ts';

const BLOCKS = blocksOf(readPage('docs/web-push.md'));
const fileOf = (name: string): string => BLOCKS.find(({ words }) => words[0] === name)?.text ?? '';
const CALL = JSON.parse(BLOCKS.find(({ language }) => language === 'json')?.text ?? '{}') as {
  name: string;
  json: unknown;
  sink: string;
  message: { subject: string; body: string; metadata: Record<string, string> };
};

let folder: string;
let server: MsgServer;
let site: Server;
let origin: string;
let browser: Browser;
let page: Page;
let database: PostgresServer;
let sql: OutboxConnection;
const kept: string[] = [];
const push = await pushService();
const subscription = new Subscription(push.origin);

/** The page's script as a bundler makes it, with its function in reach of the test. */
async function bundled(): Promise<string> {
  const stdin = {
    contents: `${fileOf('page.js')}\nglobalThis.allowNotifications = allowNotifications;`,
    resolveDir: import.meta.dirname,
  };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    format: 'esm',
    write: false,
    conditions: ['msg-source'],
  });
  return outputFiles[0]?.text ?? '';
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'web-push-'));
  const { stdout } = await runMsg(['vapid', 'generate']);
  const keys = (JSON.parse(stdout) as { payload: { public_key: string; private_key: string } }).payload;
  writeFileSync(join(folder, 'msg.yaml'), fileOf('msg.yaml'));
  database = await PostgresServer.start();
  const url = `postgres://admin:${database.password}@127.0.0.1:${database.port}/shop`;
  sql = await connectPostgres({ url });
  await migrate(sql);
  writeFileSync(join(folder, 'ca.pem'), localhostCertificate().cert);
  server = await startMsg({
    args: ['--config', join(folder, 'msg.yaml'), '--private-sink-urls'],
    env: {
      VAPID_PRIVATE_KEY: keys.private_key,
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      MSG_OUTBOX_POSTGRES_URL: url,
    },
  });
  const script = await bundled();
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/': ['text/html', '<!doctype html><title>Shop</title><script type="module" src="/page.js"></script>'],
    '/page.js': ['text/javascript', script],
    '/push-worker.js': ['text/javascript', fileOf('push-worker.js')],
  };
  site = createServer(async (request, response) => {
    const [type, body] = files[request.url ?? ''] ?? ['text/plain', ''];
    if (request.method === 'POST') kept.push(await text(request));
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
  origin = `http://localhost:${(site.address() as AddressInfo).port}`; // a TCP server has one
  browser = await Browser.startWithWindow();
  page = await browser.page();
  await page.context().grantPermissions(['notifications'], { origin });
  await page.addInitScript(recipient => {
    const scope = globalThis as unknown as { PushManager: { prototype: object } };
    Object.assign(scope.PushManager.prototype, {
      getSubscription: async () => null,
      subscribe: async () => ({ toJSON: () => recipient }),
    });
  }, subscription.recipient);
  await page.goto(origin);
}, 120_000);
afterAll(async () => {
  await browser.stop();
  await server.stop();
  await sql.end({ timeout: 1 });
  await database.stop();
  await push.server.close();
  await new Promise(resolve => site.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** Lets a service worker remember that a notification is on the screen. */
const TELLS_WHEN_SHOWN = `(() => {
  const show = registration.showNotification.bind(registration);
  registration.showNotification = (...args) => show(...args).then(() => { self.shown = true; });
})()`;

/** The id of the page's service worker in the developer tools. */
async function registrationOf(session: CDPSession): Promise<string> {
  let id = '';
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    id = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin))?.registrationId ?? id;
  });
  await session.send('ServiceWorker.enable');
  await eventually('the service worker is registered', () => id !== '');
  return id;
}

describe('a user without an open page', { timeout: 120_000 }, () => {
  test('subscribes with the key of the manifest, and the backend keeps the recipient', async () => {
    const manifest = await (await fetch(`${server.url}/manifest`)).json();
    const { push: publicKey } = (manifest as { payload: { webpush: { push: string } } }).payload.webpush;
    await page.waitForFunction('globalThis.allowNotifications !== undefined');
    await page.evaluate(`allowNotifications(${JSON.stringify(publicKey)})`);
    expect(kept.map(body => JSON.parse(body))).toEqual([subscription.recipient]);
  });

  test('gets a notification by the call of the page', async () => {
    const client = createRpcClient({ server: server.url, token: server.token, fetch });
    const metadata = new Map(Object.entries(CALL.message.metadata));
    const { outcome } = await client.call('PublishOrSink', {
      ...CALL,
      recipient: JSON.parse(kept[0] ?? 'null'),
      message: { ...CALL.message, metadata },
    });
    expect(outcome).toBe('sent');
    const [request] = push.server.received;
    const data = subscription.decryptedBytes(request?.bytes ?? new Uint8Array()).toString();
    const session = await page.context().newCDPSession(page);
    const registrationId = await registrationOf(session);
    const worker = page.context().serviceWorkers()[0];
    await worker?.evaluate(TELLS_WHEN_SHOWN);
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    // A list that is asked for meanwhile forgets what is not on the screen yet.
    await eventually('a notification', async () => (await worker?.evaluate('self.shown')) === true);
    const shown = `navigator.serviceWorker.ready
      .then(registration => registration.getNotifications())
      .then(list => list.map(({ title, body, data }) => ({ title, body, data })))`;
    expect(await page.evaluate(shown)).toEqual([
      { title: CALL.message.subject, body: CALL.message.body, data: CALL.message.metadata },
    ]);
  });

  test('gets a notification by the transaction of the page, and none when it is rolled back', async () => {
    const [recipient = 'null'] = kept;
    database.sql(`
      CREATE TABLE orders (id int PRIMARY KEY, state text);
      CREATE TABLE users (id text PRIMARY KEY, push_recipient jsonb);
      INSERT INTO orders VALUES (7, 'placed');
      INSERT INTO users VALUES ('u-7', '${recipient}')`);
    const before = push.server.received.length;
    database.sql(fileOf('notify.sql').replace('COMMIT', 'ROLLBACK'));
    database.sql(fileOf('notify.sql'));
    await eventually('the outbox is empty', () => database.sql('SELECT count(*) FROM msg.outbox') === '0');
    expect(push.server.received).toHaveLength(before + 1);
    const data = subscription.decrypted(push.server.received.at(-1)?.bytes ?? new Uint8Array());
    expect(data).toEqual({
      ...CALL.message,
      metadata: { tag: 'order-7', ...CALL.message.metadata },
      channel: CALL.name,
    });
    expect(await listDead(sql)).toEqual([]);
  });

  test('whose subscription has ended is told by a dead row of the outbox', async () => {
    push.server.behaviour = { status: 410 };
    database.sql(fileOf('notify.sql'));
    await eventually('the outbox is empty', () => database.sql('SELECT count(*) FROM msg.outbox') === '0');
    const dead = await listDead(sql, { code: 'MSG_SINK_RECIPIENT_GONE' });
    expect(dead.map(({ channel }) => channel)).toEqual([CALL.name]);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('msg_sink_recipients_gone_total{sink="push"} 1');
    const client = createRpcClient({ server: server.url, token: server.token, fetch });
    expect(await client.call('DlqCount', {})).toEqual({ count: 0 });
    const { endpoint, keys } = subscription.recipient;
    const { stdout, stderr } = server.output();
    for (const secret of [keys.auth, keys.p256dh, new URL(endpoint).pathname, database.password])
      expect(stdout + stderr + JSON.stringify(dead)).not.toContain(secret);
  });
});
