import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Browser, HostileProxy, type MsgServer, runMsg } from '@msg/testkit';
import type { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../support/server.ts';

const CLIENT = createRequire(import.meta.url).resolve('centrifuge');
const SCRIPT = join(dirname(CLIENT), '..', 'dist', 'centrifuge.js');
const CHANNEL = 'public:browser.news';

/** What the page has as globals. */
interface PageGlobals {
  readonly Centrifuge: typeof Centrifuge;
  client: Centrifuge;
  received: unknown[];
  opened: string[];
}

let server: MsgServer;
let browser: Browser;
let proxy: HostileProxy;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), Browser.start()]);
  proxy = await HostileProxy.start(server.url, SCRIPT);
});
afterAll(async () => {
  await browser.stop();
  await proxy.stop();
  await server.stop();
});

const operator = (...args: string[]) =>
  runMsg(args, { env: { MSG_SERVER: server.url, MSG_TOKEN: server.token } });

test('a browser whose WebSockets are blocked falls back to HTTP streaming, receives and recovers', async () => {
  expect(await operator('channels', 'open', CHANNEL)).toMatchObject({ code: 0 });
  const page = await browser.page();
  await page.goto(`http://${proxy.host}/page`);
  await page.evaluate(
    ({ host, channel }) => {
      const page = globalThis as unknown as PageGlobals;
      const client = new page.Centrifuge(
        [
          { transport: 'websocket', endpoint: `ws://${host}/connection/websocket` },
          { transport: 'http_stream', endpoint: `http://${host}/connection/http_stream` },
        ],
        { emulationEndpoint: `http://${host}/emulation`, minReconnectDelay: 10, maxReconnectDelay: 50 },
      );
      const opened: string[] = [];
      const received: unknown[] = [];
      Object.assign(page, { client, opened, received });
      client.on('connected', ({ transport }) => opened.push(transport));
      const subscription = client.newSubscription(channel);
      subscription.on('publication', ({ data }) => received.push(data));
      subscription.subscribe();
      client.connect();
      return subscription.ready(60_000);
    },
    { host: proxy.host, channel: CHANNEL },
  );
  expect(proxy.refused).toBeGreaterThan(0);
  expect(await page.evaluate(() => (globalThis as unknown as PageGlobals).opened)).toEqual(['http_stream']);
  expect(await operator('publish', '--data', '{"n":1}', CHANNEL)).toMatchObject({ code: 0 });
  await page.waitForFunction(() => (globalThis as unknown as PageGlobals).received.length === 1);

  await page.evaluate(() => (globalThis as unknown as PageGlobals).client.disconnect());
  expect(await operator('publish', '--data', '{"n":2}', CHANNEL)).toMatchObject({ code: 0 });
  await page.evaluate(() => (globalThis as unknown as PageGlobals).client.connect());
  await page.waitForFunction(() => (globalThis as unknown as PageGlobals).received.length === 2);
  expect(await page.evaluate(() => (globalThis as unknown as PageGlobals).received)).toEqual([
    { n: 1 },
    { n: 2 },
  ]);
});
