// What a page in Chromium does when the service refuses its access token: getCredentials is asked once, then it ends.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser, closeServer, eventually, freePort } from '@msg/testkit';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as wrapper from '#src/index.ts';
import { nowSeconds, TestKey, writeKeyring } from '../../../server/test/support/minting.ts';
import { type Service, startService } from './service.ts';

interface PageGlobals {
  readonly msg: typeof wrapper;
  client: wrapper.MsgClient;
  seen: Seen;
  /** What getCredentials answers, one after the other; the backend refuses after the last. */
  answers: object[];
}
interface Seen {
  asked: number;
  readonly received: unknown[];
  readonly states: string[];
  readonly terminal: string[];
  readonly subscription: string[];
}

const key = new TestKey();
/** Signs tokens that the service never takes. */
const foreign = new TestKey();
let port: number;
let service: Service;
let site: Server;
let browser: Browser;
const stateDir = mkdtempSync(join(tmpdir(), 'msg-refused-'));

const start = (): Promise<Service> =>
  startService({ port, args: ['--allowed-origin', '*', '--state-dir', stateDir] });

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from '@msg/client'",
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    },
    bundle: true,
    format: 'iife',
    globalName: 'msg',
    conditions: ['msg-source'],
    write: false,
  });
  port = await freePort();
  await writeKeyring(stateDir, key);
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
  rmSync(stateDir, { recursive: true, force: true });
});

/** Credentials without a refresh token, signed for this many seconds; the page is told another end. */
function minted(seconds: number, { told = seconds, by = key } = {}): object {
  return { access_token: by.access(seconds), access_expires_unix: nowSeconds() + told };
}

const createPrivate = (name: string, subject = 'u-1'): Promise<Record<string, unknown>> =>
  service.call('CreatePrivate', { name, subject, ttl_seconds: 3600, if_exists: 'reuse' });

/** Longer than a token that ends soon lives. */
const PATIENCE_MS = 60_000;

/** A page that is subscribed to a channel, with credentials and a backend that has these answers. */
async function open(channel: string, credentialsOf: () => object, answers: readonly object[]): Promise<Page> {
  const page = await browser.page();
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  // A short life begins when the page is there, however slow the machine is.
  const credentials = credentialsOf();
  await page.evaluate(
    async ({ endpoint, channel, credentials, answers }) => {
      const globals = globalThis as unknown as PageGlobals;
      const { MsgClient, MsgError } = globals.msg;
      const seen: Seen = { asked: 0, received: [], states: [], terminal: [], subscription: [] };
      Object.assign(globals, { seen, answers: [...answers] });
      const client = new MsgClient({
        endpoint,
        credentials: credentials as never,
        getCredentials: async () => {
          seen.asked++;
          const answer = globals.answers.shift();
          if (answer === undefined) throw new MsgError('MSG_AUTH_DENIED', 'signed out');
          return answer as never;
        },
        centrifugeOptions: { minReconnectDelay: 50, maxReconnectDelay: 200 },
      });
      globals.client = client;
      client.on('terminal', ({ code, message }) => seen.terminal.push(`${code} ${message}`));
      client.on('state', ({ state, reason }) => seen.states.push(`${state}: ${reason}`));
      const subscription = client.newSubscription(channel);
      subscription.on('publication', ({ data }) => seen.received.push(data));
      subscription.on('subscribed', ({ wasRecovering, recovered }) =>
        seen.subscription.push(`subscribed ${wasRecovering} ${recovered}`),
      );
      subscription.on('unsubscribed', ({ code }) => seen.subscription.push(`unsubscribed ${code}`));
      subscription.subscribe();
      await client.connect();
      await subscription.ready(60_000);
    },
    { endpoint: service.url, channel, credentials, answers },
  );
  return page;
}

const seenBy = (page: Page): Promise<Seen> =>
  page.evaluate(() => (globalThis as unknown as PageGlobals).seen);
const stateOf = (page: Page): Promise<string> =>
  page.evaluate(() => (globalThis as unknown as PageGlobals).client.state);

/** The page sleeps for an hour: its timers did not run, and it is shown again. */
const sleep = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const real = Date.now;
    Date.now = () => real() + 3_600_000;
    (globalThis as unknown as { dispatchEvent(event: Event): void }).dispatchEvent(new Event('pageshow'));
  });

describe('an access token that the service refuses', { timeout: 2 * PATIENCE_MS }, () => {
  it('has ended there though not by the clock of the page: the backend is asked once, and nothing is lost', async () => {
    const channel = 'public:web.refused.ended';
    await service.call('OpenPublic', { name: channel });
    const page = await open(channel, () => minted(12, { told: 3_000 }), [minted(300)]);
    await eventually('the backend is asked', async () => (await seenBy(page)).asked === 1, PATIENCE_MS);
    await service.call('Publish', { name: channel, data: 1 });
    await eventually('it receives', async () => (await seenBy(page)).received.length === 1);
    const { asked, terminal, states, subscription } = await seenBy(page);
    expect([asked, terminal, subscription.at(-1)]).toEqual([1, [], 'subscribed true true']);
    expect(states.filter(state => state.startsWith('disconnected'))).toEqual([]);
    await page.close();
  });

  it('belongs to another user than the connection: the connection becomes that user’s', async () => {
    const channel = 'public:web.refused.other';
    await service.call('OpenPublic', { name: channel });
    const other = await createPrivate('private:web.refused.other', 'u-2');
    const page = await open(channel, () => minted(15, { told: 40 }), [other]);
    await eventually(
      'it connects anew',
      async () => (await seenBy(page)).subscription.length === 2,
      PATIENCE_MS,
    );
    await eventually('as the other', async () => (await stateOf(page)) === 'connected');
    const user = await page.evaluate(async () => {
      const tokens = await (globalThis as unknown as PageGlobals).client.tokens();
      return JSON.parse(atob(tokens?.accessToken.split('.')[1] ?? '')).sub;
    });
    const { asked, terminal, states } = await seenBy(page);
    expect([user, asked, terminal]).toEqual(['u-2', 1, []]);
    expect(states.filter(state => state.startsWith('disconnected'))).toEqual([]);
    await page.close();
  });

  it('is what the backend gave a moment ago: the end, with the reason of the service', async () => {
    const channel = 'public:web.refused.dead';
    await service.call('OpenPublic', { name: channel });
    const page = await open(channel, () => minted(15, { told: 40 }), [minted(300, { by: foreign })]);
    await eventually('the end', async () => (await seenBy(page)).terminal.length === 1, PATIENCE_MS);
    const { asked, terminal, states } = await seenBy(page);
    expect([asked, terminal]).toEqual([1, ['MSG_AUTH_DENIED invalid token']]);
    expect(states.at(-1)).toBe('disconnected: invalid token');
    await page.close();
  });
});

describe('with a backend that answers credentials', () => {
  it('a revoked user loses the private channel within 5 s, and is told when the backend refuses, too', async () => {
    const channel = 'private:web.refused.revoked';
    const credentials = await createPrivate(channel, 'u-gone');
    const page = await open(channel, () => credentials, []);
    await service.call('RevokeUser', { user_id: 'u-gone' });
    await eventually(
      'the subscription ends',
      async () => (await seenBy(page)).subscription.at(-1) === 'unsubscribed 103',
    );
    expect([(await seenBy(page)).asked, await stateOf(page)]).toEqual([0, 'connected']);
    await sleep(page);
    await eventually('the end', async () => (await seenBy(page)).terminal.length === 1);
    const { asked, terminal, states } = await seenBy(page);
    expect([asked, terminal]).toEqual([1, ['MSG_AUTH_DENIED signed out']]);
    expect(states.at(-1)).toBe('disconnected: signed out');
    await page.close();
  });

  it('a tab that slept longer than its refresh token lives asks once, and receives again', async () => {
    const channel = 'private:web.refused.slept';
    const first = await createPrivate(channel);
    const page = await open(channel, () => first, [await createPrivate(channel)]);
    await service.call('RefreshToken', { refresh_token: first['refresh_token'] });
    await sleep(page);
    await eventually('the backend is asked', async () => (await seenBy(page)).asked === 1);
    await service.call('Publish', { name: channel, data: 2 });
    await eventually('it receives', async () => (await seenBy(page)).received.length === 1);
    expect((await seenBy(page)).terminal).toEqual([]);
    await page.close();
  });

  it('a server that restarts with its keys takes the tokens, and the backend is not asked', async () => {
    const channel = 'private:web.refused.restart';
    const credentials = await createPrivate(channel);
    const page = await open(channel, () => credentials, []);
    await service.stop();
    await eventually('it is cut off', async () => (await stateOf(page)) === 'retrying');
    service = await start();
    await createPrivate(channel);
    await eventually(
      'it is subscribed again',
      async () => (await seenBy(page)).subscription.at(-1) === 'subscribed true false',
      PATIENCE_MS,
    );
    await service.call('Publish', { name: channel, data: 3 });
    await eventually('it receives', async () => (await seenBy(page)).received.length === 1);
    const { asked, terminal } = await seenBy(page);
    expect([asked, terminal]).toEqual([0, []]);
    await page.close();
  });
});
