import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser, closeServer, eventually, freePort, HostileProxy } from '@msg/testkit';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type * as wrapper from '#src/index.ts';
import { type Service, startService } from './service.ts';

/** What the page has as globals. */
interface PageGlobals {
  readonly msg: typeof wrapper;
  client: wrapper.MsgClient;
  received: unknown[];
  told: string[];
  /** Delays of all timers, milliseconds. */
  waits: number[];
  setTimeout(task: () => void, ms: number): unknown;
}
/** What a test hands to a page. */
interface Start {
  readonly options: wrapper.MsgClientOptions;
  readonly channel: string;
  /** `broadcast` or none. */
  readonly store?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'msg-client-'));
const script = join(folder, 'client.js');
let port: number;
let service: Service;
let site: Server;
let browser: Browser;

const start = async (): Promise<Service> => startService({ port, args: ['--allowed-origin', '*'] });

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from '@msg/client'",
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    format: 'iife',
    globalName: 'msg',
    conditions: ['msg-source'],
    write: false,
  });
  writeFileSync(script, outputFiles[0]?.contents ?? '');
  port = await freePort();
  [service, browser] = await Promise.all([start(), Browser.start()]);
  site = createServer((request, response) => {
    if (request.url === '/client.js') response.end(outputFiles[0]?.contents);
    else response.setHeader('content-type', 'text/html').end('<script src="/client.js"></script>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
});
afterAll(async () => {
  await browser.stop();
  await closeServer(site);
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function openPage(): Promise<Page> {
  const page = await browser.page();
  await page.addInitScript(() => {
    const globals = globalThis as unknown as PageGlobals;
    const { setTimeout } = globals;
    globals.waits = [];
    globals.setTimeout = (task, ms) => {
      globals.waits.push(ms);
      return setTimeout(task, ms);
    };
  });
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  return page;
}

/** Connects and subscribes in a page; answers the transport. */
function connect(page: Page, { options, channel, store = '' }: Start): Promise<string> {
  return page.evaluate(
    async ({ options, channel, store }) => {
      const globals = globalThis as unknown as PageGlobals;
      const { MsgClient, BroadcastTokenStore } = globals.msg;
      const client = new MsgClient({
        ...options,
        ...(store === 'broadcast' ? { tokenStore: new BroadcastTokenStore() } : {}),
        centrifugeOptions: { minReconnectDelay: 50, maxReconnectDelay: 200 },
      });
      Object.assign(globals, { client, received: [], told: [] });
      client.on('terminal', ({ code }) => globals.told.push(`terminal ${code}`));
      await client.connect();
      const transport = new Promise<string>(resolve => {
        client.raw().on('connected', context => resolve(context.transport));
      });
      const subscription = client.newSubscription(channel);
      subscription.on('publication', ({ data }) => globals.received.push(data));
      subscription.on('subscribed', ({ wasRecovering, recovered }) =>
        globals.told.push(`subscribed ${wasRecovering} ${recovered}`),
      );
      subscription.on('unsubscribed', ({ code }) => globals.told.push(`unsubscribed ${code}`));
      subscription.subscribe();
      await subscription.ready(60_000);
      return Promise.race([
        transport,
        new Promise<string>(resolve => setTimeout(() => resolve('connected'), 10)),
      ]);
    },
    { options, channel, store },
  );
}

const tokensOf = (page: Page) => page.evaluate(() => (globalThis as unknown as PageGlobals).client.tokens());
const stateOf = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as PageGlobals).client.raw().state as string);
const toldTo = (page: Page) => page.evaluate(() => (globalThis as unknown as PageGlobals).told);
const receivedBy = (page: Page) => page.evaluate(() => (globalThis as unknown as PageGlobals).received);
const waitsOf = (page: Page) => page.evaluate(() => (globalThis as unknown as PageGlobals).waits);
const now = () => Math.floor(Date.now() / 1000);

test('private channel: the token is refreshed in time, and at once after a sleep', async () => {
  const channel = 'private:web.room.1';
  const tokens = await service.privateChannel(channel);
  const page = await openPage();
  const before = await service.rotations();
  // A token that ends soon is used by half, then refreshed.
  await connect(page, { options: { endpoint: service.url, ...tokens, accessExp: now() + 33 }, channel });
  await eventually('a first refresh', async () => (await service.rotations()) === before + 1);
  // The server counts the refresh before its answer reaches the page.
  const renewed = async () => (await tokensOf(page))?.accessToken !== tokens.accessToken;
  await eventually('the page has the new pair', renewed);
  const first = await tokensOf(page);
  expect(first?.accessExp).toBeGreaterThan(now() + 200);

  await page.evaluate(() => {
    const real = Date.now;
    Date.now = () => real() + 3_000_000;
    (globalThis as unknown as { dispatchEvent(event: Event): void }).dispatchEvent(new Event('pageshow'));
  });
  await eventually('a second refresh', async () => (await service.rotations()) >= before + 2);
  expect(await toldTo(page)).toEqual(['subscribed false false']);
  await service.call('Publish', { name: channel, data: { n: 1 } });
  await eventually('it still receives', async () => (await receivedBy(page)).length === 1);
  await page.close();
});

test('two tabs share one pair and one refresh', async () => {
  const channel = 'private:web.room.2';
  const tokens = await service.privateChannel(channel);
  const [one, two] = [await openPage(), await openPage()];
  const { url: endpoint } = service;
  const before = await service.rotations();
  const soon = { ...tokens, accessExp: now() + 36 };
  await connect(one, { options: { endpoint, ...soon }, channel, store: 'broadcast' });
  // The second tab has no tokens of its own.
  await connect(two, { options: { endpoint }, channel, store: 'broadcast' });
  expect(await tokensOf(two)).toEqual(soon);
  await eventually(
    'both have the new pair',
    async () => {
      const [a, b] = [await tokensOf(one), await tokensOf(two)];
      return a !== null && a.accessToken !== tokens.accessToken && a.accessToken === b?.accessToken;
    },
    20_000,
  );
  for (const page of [one, two]) expect(await toldTo(page)).toEqual(['subscribed false false']);
  // Each timer that was set for the first pair has come, and made way for one 30 to 35 s before the new pair's end.
  await eventually('both tabs wait for the end of the new pair', async () => {
    const waits = [await waitsOf(one), await waitsOf(two)];
    return waits.every(tab => tab.some(ms => ms > 255_000 && ms < 275_000));
  });
  expect(await service.rotations()).toBe(before + 1);
  await one.close();
  await two.close();
});

test('a refresh token that another client used signs the user out cleanly', async () => {
  const channel = 'private:web.room.3';
  const tokens = await service.privateChannel(channel);
  await service.call('RefreshToken', { refresh_token: tokens.refreshToken });
  const page = await openPage();
  const outcome = await connect(page, {
    options: { endpoint: service.url, ...tokens, accessExp: 0 },
    channel,
  }).catch((error: unknown) => String(error));
  expect(outcome).toContain('Error');
  expect(await toldTo(page)).toEqual(['terminal MSG_AUTH_DENIED']);
  expect(await tokensOf(page)).toBeNull();
  await page.close();
});

test('WebSockets are blocked: HTTP streaming serves', async () => {
  const channel = 'public:web.blocked';
  await service.call('OpenPublic', { name: channel });
  const proxy = await HostileProxy.start(service.url, script);
  const page = await browser.page();
  await page.goto(`http://${proxy.host}/page`);
  await connect(page, { options: { endpoint: `http://${proxy.host}` }, channel });
  expect(proxy.refused).toBeGreaterThan(0);
  await service.call('Publish', { name: channel, data: { n: 1 } });
  await eventually('the publication', async () => (await receivedBy(page)).length === 1);
  await page.close();
  await proxy.stop();
});

test('offline and online again: what was published meanwhile is recovered', async () => {
  const channel = 'public:web.offline';
  await service.call('OpenPublic', { name: channel });
  const page = await openPage();
  await connect(page, { options: { endpoint: service.url }, channel });
  await service.call('Publish', { name: channel, data: { n: 1 } });
  await eventually('the first', async () => (await receivedBy(page)).length === 1);

  await page.context().setOffline(true);
  await eventually('it is cut off', async () => (await stateOf(page)) === 'connecting');
  await service.call('Publish', { name: channel, data: { n: 2 } });
  await page.context().setOffline(false);
  await eventually('the second', async () => (await receivedBy(page)).length === 2);
  expect(await toldTo(page)).toEqual(['subscribed false false', 'subscribed true true']);
  await page.close();
});

test('the server restarts: reconnected, and the loss is reported', async () => {
  // A channel that every server has from its start: any other could be asked for before it is opened again.
  const channel = 'public:msg.registry.schemas';
  const page = await openPage();
  await connect(page, { options: { endpoint: service.url }, channel });
  await service.call('RegisterSchema', { schema: { pattern: 'public:web.a' } });
  await eventually('the first', async () => (await receivedBy(page)).length === 1);

  await service.stop();
  service = await start();
  await eventually(
    'it says that it could not recover',
    async () => (await toldTo(page)).at(-1) === 'subscribed true false',
    20_000,
  );
  await service.call('RegisterSchema', { schema: { pattern: 'public:web.b' } });
  await eventually('the second', async () => (await receivedBy(page)).length === 2);
  await page.close();
});
