// docs/react.md, docs/vue.md and docs/svelte.md: their files are bundled and opened in Chromium.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Browser, closeServer, eventually } from '@msg/testkit';
import { build, type Plugin } from 'esbuild';
import { compile } from 'svelte/compiler';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, ROOT, readPage } from '../../../../test/support/pages.ts';
import { type Service, startService } from '../../../client/test/blackbox/service.ts';

const CHANNEL = 'public:shop.news';
/** The longest composable or store, in lines. */
const MOST_LINES = 30;

/** Components of Svelte, as its plugins of bundlers compile them. */
const svelte: Plugin = {
  name: 'svelte',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, ({ path }) => {
      const { js } = compile(readFileSync(path, 'utf8'), { filename: path, generate: 'client' });
      return { contents: js.code, loader: 'js' };
    });
  },
};

let folder: string;
let service: Service;
let browser: Browser;
let site: Server;
let script: string;

beforeAll(async () => {
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.tmp/pages-')); // the packages of the repository are found from here
  [service, browser] = await Promise.all([
    startService({ args: ['--allowed-origin', '*'] }),
    Browser.start(),
  ]);
  await service.call('OpenPublic', { name: CHANNEL });
  site = createServer((request, response) => {
    if (request.url === '/page.js') response.setHeader('content-type', 'text/javascript').end(script);
    else
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><div id="root"></div><script type="module" src="/page.js"></script>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
});
afterAll(async () => {
  await browser.stop();
  await closeServer(site);
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Bundles the files of a page of the documentation. */
async function bundle(name: string): Promise<string> {
  const project = join(folder, name);
  mkdirSync(project);
  for (const { words, text } of blocksOf(readPage(`docs/${name}.md`))) {
    const [file = ''] = words;
    if (file.includes('.'))
      writeFileSync(join(project, file), text.replaceAll('http://localhost:8000', service.url));
  }
  const main = readdirSync(project).find(file => file.startsWith('main.')) ?? '';
  const { outputFiles } = await build({
    entryPoints: [join(project, main)],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    conditions: ['msg-source', 'browser', 'svelte'],
    plugins: [svelte],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

it.each(['react', 'vue', 'svelte'])('the page for %s receives, with one subscription', async name => {
  script = await bundle(name);
  const page = await browser.page();
  const [frames, errors]: string[][] = [[], []];
  page.on('websocket', socket => socket.on('framesent', ({ payload }) => frames?.push(String(payload))));
  page.on('pageerror', error => errors?.push(String(error)));
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  const present = async () => (await service.call('Presence', { name: CHANNEL }))['subscribers'];
  await eventually('it is subscribed', async () => (await present()) === 1);
  await service.call('Publish', { name: CHANNEL, data: { text: `Hello ${name}` } });
  await page.waitForSelector(`#news:has-text("Hello ${name}")`, { timeout: 60_000 });
  await page.waitForSelector('#state:text-matches("^(connected|subscribed)$")', { timeout: 60_000 });
  expect(frames?.join('\n').match(/"subscribe":\{/g)).toHaveLength(1);
  expect(errors).toEqual([]);
  await page.close();
  await eventually('it is gone', async () => (await present()) === 0);
});

it.each([
  ['vue', 'use-channel.js'],
  ['svelte', 'channel.js'],
])('what the page for %s adds has at most 30 lines', (name, file) => {
  const block = blocksOf(readPage(`docs/${name}.md`)).find(({ words }) => words[0] === file);
  expect(block?.text.trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_LINES);
});
