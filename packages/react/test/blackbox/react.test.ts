import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MsgClientOptions } from '@msg/client';
import { Browser, closeServer, eventually, freePort } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../../client/test/blackbox/service.ts';
import { bundlePage, bundleServer, REACTS } from './bundle.ts';
import type { PageModule, Seen, Shown } from './shown.ts';

interface PageGlobals {
  readonly bundle: { readonly loaded: Promise<PageModule> };
}

const LINGER_MS = 250;
/** A channel that every server has from its start. */
const ALWAYS = 'public:msg.registry.schemas';
const folder = mkdtempSync(join(tmpdir(), 'msg-react-'));

let port: number;
let service: Service;
let browser: Browser;
let site: Server;
let script: string;
let rendered = '';

const start = (): Promise<Service> =>
  startService({
    port,
    args: ['--allowed-origin', '*', '--config', join(folder, 'msg.yaml')],
  });

beforeAll(async () => {
  writeFileSync(
    join(folder, 'msg.yaml'),
    'channels:\n  - pattern: "public:react.**"\n    presence: true\n    join_leave: true\n',
  );
  port = await freePort();
  [service, browser] = await Promise.all([start(), Browser.start()]);
  site = createServer((request, response) => {
    if (request.url === '/page.js') response.setHeader('content-type', 'text/javascript').end(script);
    else
      response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><div id="root">${rendered}</div><script src="/page.js"></script>`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
});
afterAll(async () => {
  await browser.stop();
  await closeServer(site);
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A page with what it sent over its sockets and what its console complained about. */
class ShownPage {
  readonly page: Page;
  readonly frames: string[] = [];
  readonly errors: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('websocket', socket =>
      socket.on('framesent', ({ payload }) => this.frames.push(String(payload))),
    );
    page.on('console', message => {
      if (message.type() === 'error' && !message.text().includes('net::')) this.errors.push(message.text());
    });
    page.on('pageerror', error => this.errors.push(String(error)));
  }

  static async open(): Promise<ShownPage> {
    const shown = new ShownPage(await browser.page());
    await shown.page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    return shown;
  }

  /** Commands of a kind that it sent. */
  count(command: string): number {
    const lines = this.frames.flatMap(frame => frame.split('\n'));
    return lines.filter(line => line.includes(`"${command}":{`)).length;
  }

  async call<K extends Exclude<keyof PageModule, 'seen'>>(
    name: K,
    ...args: Parameters<PageModule[K]>
  ): Promise<unknown> {
    return this.page.evaluate(
      async ({ name, args }) => {
        const page = await (globalThis as unknown as PageGlobals).bundle.loaded;
        return (page[name] as (...args: unknown[]) => unknown)(...args);
      },
      { name, args: args as unknown[] },
    );
  }

  seen(): Promise<Seen> {
    return this.page.evaluate(async () => (await (globalThis as unknown as PageGlobals).bundle.loaded).seen);
  }

  async begin(shown: Shown, client: Partial<MsgClientOptions> = {}, more: object = {}): Promise<void> {
    await this.call('start', { client: { endpoint: service.url, ...client }, ...more }, shown);
  }

  /** Waits until every row, and at least one, is as described. */
  async rows(what: string, selector: string, count: number): Promise<void> {
    await eventually(what, async () => (await this.page.locator(selector).count()) === count);
  }
}

let names = 0;
/** A new open channel. */
async function channelOf(kind: string): Promise<string> {
  const name = `public:react.${kind}.n${names++}`;
  await service.call('OpenPublic', { name });
  return name;
}
const publish = (name: string, n: number) => service.call('Publish', { name, data: { n } });
const present = async (name: string) => Number((await service.call('Presence', { name }))['subscribers']);

describe.each(REACTS)('React %s in Chromium', (version, alias) => {
  beforeAll(async () => {
    script = await bundlePage(alias);
    rendered = '';
  });

  it('500 components in StrictMode send one subscribe, and all receive', async () => {
    const channel = await channelOf('many');
    const shown = await ShownPage.open();
    await shown.begin({ channel, rows: 500 });
    await shown.rows('all are subscribed', 'li[data-state="subscribed"]', 500);
    await publish(channel, 7);
    await shown.rows('all have it', 'li:text("7 []")', 500);
    expect(await shown.page.locator('#latest').textContent()).toBe('7');
    expect(shown.count('subscribe')).toBe(1);

    // A route that shows the channel again within 250 ms keeps the subscription; without one it ends.
    await shown.call('show', { channel, rows: 0 });
    await shown.call('show', { channel, rows: 3 });
    await shown.rows('the new route', 'li[data-state="subscribed"]', 3);
    expect([shown.count('subscribe'), shown.count('unsubscribe')]).toEqual([1, 0]);
    const began = performance.now();
    await shown.call('show', { channel, rows: 0 });
    await eventually('the subscription ends', () => shown.count('unsubscribe') === 1);
    expect(performance.now() - began).toBeGreaterThan(LINGER_MS - 20);
    await eventually('the service knows', async () => (await present(channel)) === 0);
    expect(shown.count('subscribe')).toBe(1);
    expect(shown.errors).toEqual([]);
    await shown.page.close();
  });

  it('the newest callback is called, and no option subscribes again', async () => {
    const channel = await channelOf('newest');
    const shown = await ShownPage.open();
    await shown.begin({ channel, rows: 1, label: 'a', keep: 2 });
    await shown.rows('it is subscribed', 'li[data-state="subscribed"]', 1);
    await publish(channel, 1);
    await shown.rows('the first', 'li:text("1 [1]")', 1);
    await shown.call('show', { channel, rows: 1, label: 'b', keep: 2 });
    for (const n of [2, 3]) await publish(channel, n);
    await shown.rows('the newest two', 'li:text("3 [2,3]")', 1);
    expect((await shown.seen()).calls).toEqual(['a1', 'b2', 'b3']);
    await shown.call('show', { channel, rows: 1, label: 'c', enabled: false });
    await shown.rows('it is not wanted', 'li[data-state="unsubscribed"]', 1);
    expect(shown.count('subscribe')).toBe(1);
    const another = await channelOf('newest');
    await shown.call('show', { channel: another, rows: 1, label: 'd', keep: 1 });
    await shown.rows('another channel', 'li[data-state="subscribed"]:text("- []")', 1);
    await publish(another, 9);
    await shown.rows('its publication', 'li:text("9 [9]")', 1);
    expect((await shown.seen()).calls.at(-1)).toBe('d9');
    expect(shown.errors).toEqual([]);
    await shown.page.close();
  });

  it('a publication between render and effects is not lost, nor is one while a part suspends', async () => {
    const channel = await channelOf('between');
    const shown = await ShownPage.open();
    await shown.begin({ channel, rows: 1 });
    await shown.rows('it is subscribed', 'li[data-state="subscribed"]', 1);
    await shown.call('show', { channel, rows: 1, late: true });
    await eventually(
      'the late one has it',
      async () => (await shown.page.locator('#late').textContent())?.startsWith('99') === true,
    );
    expect((await shown.seen()).calls).toContain('late 99');
    await shown.call('show', { channel, rows: 1, suspended: true });
    await shown.page.waitForSelector('i:text("wait")');
    await publish(channel, 5);
    await shown.rows('the others go on', 'li:text("5 []")', 1);
    await shown.call('releaseSuspended');
    await shown.page.waitForSelector('#suspended:text("5")');
    expect(shown.count('subscribe')).toBe(1);
    expect(shown.errors).toEqual([]);
    await shown.page.close();
  });

  it('presence follows those who come and go', async () => {
    const channel = await channelOf('presence');
    const [one, two] = [await ShownPage.open(), await ShownPage.open()];
    await one.begin({ channel, presence: true });
    await one.page.waitForSelector('#presence:text("1")');
    await two.begin({ channel, rows: 1 });
    await one.page.waitForSelector('#presence:text("2")');
    await two.call('unmount');
    await one.page.waitForSelector('#presence:text("1")');
    expect([one.count('subscribe'), one.errors, two.errors]).toEqual([1, [], []]);
    await one.page.close();
    await two.page.close();
  });

  it('a name that is no channel, and a channel without presence, are errors of the hooks', async () => {
    const shown = await ShownPage.open();
    await shown.begin({ channel: 'news', rows: 2 });
    await shown.rows('the error', 'li[data-error="MSG_CHANNEL_INVALID"]', 2);
    await shown.call('show', { channel: ALWAYS, presence: true });
    await shown.page.waitForSelector('#presence:text("MSG_")');
    expect(shown.count('subscribe')).toBe(1);
    expect(shown.errors).toEqual([]);
    await shown.page.close();
  });

  it('the server restarts: shown as retrying, then subscribed again, with the loss', async () => {
    const shown = await ShownPage.open();
    await shown.begin({ channel: ALWAYS, rows: 2 });
    await shown.rows('they are subscribed', 'li[data-state="subscribed"]', 2);
    await service.call('RegisterSchema', { schema: { pattern: `public:react.v${version}` } });
    await service.stop();
    await shown.page.waitForSelector('#connection:text("retrying after")', { timeout: 60_000 });
    service = await start();
    await shown.rows('they say that it was not recovered', 'li[data-recovered="false"]', 2);
    expect(await shown.page.locator('#connection').textContent()).toBe('connected');
    // One for each connection.
    expect(shown.count('subscribe')).toBe(2);
    await shown.page.close();
  });

  const credentialsFor = (name: string, subject: string) =>
    service.call('CreatePrivate', { name, subject, ttl_seconds: 3600 });

  it('the token is renewed before its end, and by getCredentials after a sleep that outlived the refresh token', async () => {
    const channel = `private:react.tokens.v${version}`;
    const first = await credentialsFor(channel, 'u-1');
    const shown = await ShownPage.open();
    const soon = { ...first, access_expires_unix: Math.floor(Date.now() / 1000) + 36 };
    const before = await service.rotations();
    await shown.begin({ channel, rows: 1 }, { credentials: soon as never }, { asks: true });
    await shown.rows('it is subscribed', 'li[data-state="subscribed"]', 1);
    await eventually('it is renewed', async () => {
      const token = await shown.call('refreshToken');
      return (await service.rotations()) > before && token !== first['refresh_token'];
    });
    await publish(channel, 1);
    await shown.rows('it still receives', 'li:text("1 []")', 1);
    expect(shown.count('subscribe')).toBe(1);

    // The tab sleeps, and its refresh token is over when it wakes.
    await service.call('RefreshToken', { refresh_token: await shown.call('refreshToken') });
    const second = await service.call('IssueAccess', {
      subject: 'u-1',
      scopes: [{ pattern: channel, verbs: ['subscribe', 'publish'] }],
    });
    await shown.page.evaluate(
      async ({ second }) => {
        const page = await (globalThis as unknown as PageGlobals).bundle.loaded;
        page.seen.credentials = second;
        const real = Date.now;
        Date.now = () => real() + 3_000_000;
        (globalThis as unknown as { dispatchEvent(event: Event): void }).dispatchEvent(new Event('pageshow'));
      },
      { second },
    );
    await eventually('it is asked', async () => (await shown.seen()).asked === 1);
    await publish(channel, 2);
    await shown.rows('it still receives', 'li[data-state="subscribed"]:text("2 []")', 1);
    expect((await shown.seen()).terminal).toEqual([]);
    expect(shown.count('subscribe')).toBe(1);
    await shown.page.close();
  });

  it('a revoked user is told, and asks no further', async () => {
    const channel = `private:react.revoked.v${version}`;
    const shown = await ShownPage.open();
    const credentials = (await credentialsFor(channel, `gone-${version}`)) as never;
    await shown.begin({ channel, rows: 2 }, { credentials });
    await shown.rows('they are subscribed', 'li[data-state="subscribed"]', 2);
    await service.call('RevokeUser', { user_id: `gone-${version}` });
    await shown.rows('they are told', 'li[data-state="unsubscribed"][data-error="MSG_AUTH_DENIED"]', 2);
    const sent = shown.count('subscribe');
    expect(sent).toBeLessThanOrEqual(2);
    await publish(channel, 1);
    await shown.call('show', { channel, rows: 2, label: 'x' });
    expect(shown.count('subscribe')).toBe(sent);
    await shown.page.close();
  });

  it('a component whose file was saved keeps its publications and its subscription', async () => {
    const channel = await channelOf('saved');
    const shown = await ShownPage.open();
    await shown.begin({ channel, rows: 2, keep: 3 });
    await shown.rows('they are subscribed', 'li[data-state="subscribed"]', 2);
    await publish(channel, 1);
    await shown.rows('the first', 'li:text("1 [1]")', 2);
    await shown.call('refresh');
    await shown.rows('the new component', 'li[data-state="subscribed"]:text("new [1]")', 2);
    await publish(channel, 2);
    await shown.rows('the second', 'li:text("new [1,2]")', 2);
    expect([shown.count('subscribe'), shown.count('unsubscribe')]).toEqual([1, 0]);
    expect(shown.errors).toEqual([]);
    await shown.page.close();
  });

  it('a server renders it idle and opens no socket; the page takes over from there', async () => {
    const channel = await channelOf('server');
    const file = join(folder, `server-${version}.cjs`);
    writeFileSync(file, await bundleServer(alias));
    const server = createRequire(import.meta.url)(file) as {
      renderPage(shown: Shown): string[];
    };
    const [html = '', ...states] = server.renderPage({ channel, rows: 2, presence: true });
    expect(states).toEqual(['idle', 'disconnected']);
    expect(html).toContain('<p id="connection">idle</p>');
    expect(html.match(/data-state="unsubscribed"/g)).toHaveLength(2);
    rendered = html;
    const shown = await ShownPage.open();
    rendered = '';
    await shown.begin({ channel, rows: 2, presence: true }, {}, { hydrate: true });
    await shown.rows('they are subscribed', 'li[data-state="subscribed"]', 2);
    await publish(channel, 4);
    await shown.rows('they receive', 'li:text("4 []")', 2);
    expect(shown.count('subscribe')).toBe(1);
    expect(shown.errors).toEqual([]);
    await shown.page.close();
  });
});
