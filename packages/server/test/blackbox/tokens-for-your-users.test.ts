import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser, freePort, ShellProcess } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, ROOT } from '../../../../test/support/pages.ts';

const BLOCKS = blocksOf(readFileSync(join(ROOT, 'docs/tokens-for-your-users.md'), 'utf8'));

function programOf(name: string): string {
  const block = BLOCKS.find(({ words: [word] }) => word === name);
  if (block === undefined) throw new Error(`the page has no ${name}`);
  return block.text;
}

let folder: string;
let address: string;
let application: ShellProcess;
let browser: Browser;

beforeAll(async () => {
  // Below the repository, where a program finds the packages.
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.tmp/tokens-page-'));
  const port = await freePort();
  address = `http://localhost:${port}`;
  writeFileSync(join(folder, 'server.mjs'), programOf('server.mjs').replaceAll('8000', String(port)));
  writeFileSync(join(folder, 'index.html'), programOf('index.html'));
  application = new ShellProcess(`exec "${process.execPath}" --conditions=msg-source server.mjs`, {
    cwd: folder,
  });
  browser = await Browser.start();
  await application.printed('stdout', /user=ann\n/);
});
afterAll(async () => {
  await browser.stop();
  await application.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function open(query: string): Promise<Page> {
  const page = await browser.page();
  await page.goto(address + query);
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill('#text', text);
  await page.press('#text', 'Enter');
}

const shows = (page: Page, text: string) =>
  page.locator('#lines', { hasText: text }).waitFor({ timeout: 60_000 });

describe('the page about tokens for users', () => {
  it('has 25 lines of program, those of the page included', () => {
    const lines = `${programOf('server.mjs')}\n${programOf('index.html')}`.split('\n');
    expect(lines.filter(line => line.trim() !== '').length).toBeLessThanOrEqual(25);
  });

  it('lets users meet in one private room, each under the name that the backend gave', async () => {
    const [ann, bob] = [await open('/?user=ann'), await open('/?user=bob')];
    // A publish waits for its connection; what the other one missed comes with its subscription.
    await say(ann, 'hello');
    for (const page of [ann, bob]) await shows(page, 'ann: hello');
    await say(bob, 'hi ann');
    for (const page of [ann, bob]) await shows(page, 'bob: hi ann');
  }, 120_000);

  it('lets nobody in who is not signed in', async () => {
    const stranger = await open('/');
    const answer = await fetch(`${address}/tokens`);
    expect(answer.status).toBe(401);
    await say(stranger, 'let me in');
    const ann = await open('/?user=ann');
    await say(ann, 'only us');
    await shows(ann, 'ann: only us');
    expect(await ann.locator('#lines').textContent()).not.toContain('let me in');
    expect(await stranger.locator('#lines').textContent()).toBe('');
  }, 120_000);
});
