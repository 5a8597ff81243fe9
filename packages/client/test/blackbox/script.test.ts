import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Browser, closeServer, eventually } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, readPage } from '../../../../test/support/pages.ts';
import { type Service, startService } from './service.ts';

const CHANNEL = 'public:shop.news';
const EXAMPLE = 'http://localhost:8000';
const [script = '', module = ''] = blocksOf(readPage('docs/script-tag.md'))
  .filter(({ language }) => language === 'html')
  .map(({ text }) => text);

let service: Service;
let site: Server;
let browser: Browser;
let html: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startService({ args: ['--allowed-origin', '*'] }),
    Browser.start(),
  ]);
  await service.call('OpenPublic', { name: CHANNEL });
  site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(html);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
});
afterAll(async () => {
  await browser.stop();
  await closeServer(site);
  await service.stop();
});

/** Opens a page of another origin; answers what it shows and what its console says. */
async function open(text: string) {
  html = text.replaceAll(EXAMPLE, service.url);
  const page = await browser.page();
  const errors: string[] = [];
  page.on('console', message => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', error => errors.push(String(error)));
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  return { page, errors };
}

/** The state that the page shows. */
const CONNECTED = '#state:text("connected")';

it.each([
  ['a script tag', script],
  ['a module', module],
])('a page with %s receives', async (_, text) => {
  const { page, errors } = await open(text);
  await page.waitForSelector(CONNECTED, { timeout: 60_000 });
  const present = async () => (await service.call('Presence', { name: CHANNEL }))['subscribers'];
  await eventually('it is subscribed', async () => (await present()) === 1);
  await service.call('Publish', { name: CHANNEL, data: { text: 'Hello' } });
  await page.waitForSelector('#news li:text("Hello")', { timeout: 60_000 });
  expect(errors.filter(error => !error.includes('favicon'))).toEqual([]);
  await page.close();
  await eventually('it is gone', async () => (await present()) === 0);
});

it('the digest of the manifest guards the script', async () => {
  const manifest = await (await fetch(`${service.url}/manifest`)).json();
  const { path, integrity } = (manifest as { payload: { client_script: Record<string, string> } }).payload
    .client_script;
  const tag = `src="${service.url}${path}" crossorigin="anonymous"`;
  const guarded = (digest: string) =>
    script.replace(`src="${EXAMPLE}/msg.js"`, `${tag} integrity="${digest}"`);
  const good = await open(guarded(integrity ?? ''));
  await good.page.waitForSelector(CONNECTED, { timeout: 60_000 });
  await good.page.close();
  const bad = await open(guarded(`sha384-${'A'.repeat(64)}`));
  await eventually('it is refused', () => bad.errors.some(error => error.includes('valid digest')));
  expect(bad.errors.join()).toContain('msg is not defined');
  await bad.page.close();
});
