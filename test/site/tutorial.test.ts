import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser, type MsgServer, runMsg, startMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, readPage } from '../support/pages.ts';

const PAGE =
  blocksOf(readPage('docs/tutorial.md')).find(({ words }) => words[0] === 'order.html')?.text ?? '';

describe('the page of the tutorial', () => {
  let msg: MsgServer;
  let shop: Server;
  let browser: Browser;
  let state: string;

  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'tutorial-'));
    const args = ['--dev', '--no-auth', '--state-dir', state];
    [msg, browser] = await Promise.all([startMsg({ args }), Browser.start()]);
    shop = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end(PAGE.replaceAll('http://localhost:8000', msg.url)),
    );
    await new Promise<void>(listening => shop.listen(0, '127.0.0.1', listening));
  });
  afterAll(async () => {
    await browser.stop();
    shop.closeAllConnections();
    shop.close();
    await msg.stop();
    rmSync(state, { recursive: true, force: true });
  });

  it('shows each step of the order as it is published', async () => {
    const ask = (...args: string[]) => runMsg(args, { env: { MSG_SERVER: msg.url } });
    expect((await ask('channels', 'open', 'public:shop.1042')).code).toBe(0);
    const page = await browser.page();
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
    await page.getByText('Live', { exact: true }).waitFor();
    await ask('publish', 'public:shop.1042', '-d', '{"name":"Paid"}');
    await ask('publish', 'public:shop.1042', '-d', '{"name":"Packed"}');
    await page.getByText('Packed').waitFor();
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['Paid', 'Packed']);
  });
});
