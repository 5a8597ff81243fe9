import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewPage } from '../../src/view/page.ts';

const PATIENT_MS = 120_000;
const SECOND = 1_000_000;
const EVENTS = Array.from({ length: 60 }, (_, i) => ({
  atUs: i * SECOND,
  lane: `client ${i % 3}`,
  text: `got ${i} in c${i % 2}`,
  kind: 'publication' as const,
}));

const folder = mkdtempSync(join(tmpdir(), 'msg-view-'));
const file = join(folder, 'run.html');
const complaints: string[] = [];
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const run = { oracle: 'O1', promise: 'no gap', observed: 'a gap', facts: [], again: '', events: EVENTS };
  writeFileSync(file, viewPage({ ...run, atUs: 59 * SECOND }));
  browser = await Browser.start();
  page = await browser.page();
  page.on('console', message => complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(error.message));
  page.on('request', request => {
    if (!request.url().startsWith('file:')) complaints.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
}, PATIENT_MS);

afterAll(async () => {
  await browser.stop();
  rmSync(folder, { recursive: true });
});

const current = () => page.locator('tr[aria-current]').innerText();
const shown = () => page.locator('tbody tr:visible').count();

describe('the page of a run in a browser, from a file', { timeout: PATIENT_MS }, () => {
  it('begins at the violation and steps by buttons and keys', async () => {
    expect(await current()).toContain('got 59 in c1');
    await page.click('#back');
    expect(await current()).toContain('got 58 in c0');
    await page.keyboard.press('ArrowUp');
    expect(await current()).toContain('got 57 in c1');
    await page.click('#on');
    expect(await current()).toContain('got 58 in c0');
    expect(await page.locator('#count').innerText()).toBe('59 of 60');
    expect(await page.locator('use.on').getAttribute('data-i')).toBe('58');
  });

  it('shows what fits the words and the lane, and steps through that alone', async () => {
    await page.fill('#words', 'c1');
    expect(await shown()).toBe(30);
    await page.selectOption('#lane', 'client 1');
    expect(await shown()).toBe(10);
    expect(await page.locator('use:visible').count()).toBe(10);
    const before = await current();
    await page.click('#back');
    expect(await current()).not.toBe(before);
    expect(await current()).toMatch(/client 1\s+got \d+ in c1/);
    await page.fill('#words', 'nothing such');
    expect(await page.locator('.none').isVisible()).toBe(true);
    await page.fill('#words', '');
    await page.selectOption('#lane', '');
    expect(await shown()).toBe(60);
  });

  it('selects the event of a mark', async () => {
    await page.locator('use[data-i="3"]').click();
    expect(await current()).toContain('got 3 in c1');
  });

  it('has the colours of both schemes, and complains about nothing', async () => {
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).not.toBe(light);
    expect(complaints).toEqual([]);
  });
});
