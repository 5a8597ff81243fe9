import { Browser } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  alive,
  axeFaults,
  equip,
  linksOn,
  PageComplaints,
  type PageLinks,
  sidewaysScroll,
  unfilledTemplates,
} from '../support/page-visit.ts';
import { type SiteServer, serveSite, siteAddresses } from '../support/site.ts';

/** Tabs that are open at once: two cores, and one that waits. */
vi.setConfig({ maxConcurrency: 3 });

const ADDRESSES = siteAddresses();
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 360, height: 780 };
/** The rules of axe that the width of a page decides. */
const OF_LAYOUT = [
  'scrollable-region-focusable',
  'target-size',
  'meta-viewport',
  'aria-hidden-focus',
  'button-name',
];
/** The menus, which all pages share: axe looks at them on the pages of each kind. */
const SHARED = ['.VPNav', '.VPLocalNav', '.VPSidebar', '.VPFooter'];
/** Pages with every part that pages have: on a telephone, too, axe looks at all of them with all of its rules. */
const OF_EACH_KIND = ['/', '/tutorial', '/rpc', '/delivery', '/pages', '/reference/react'];
/** What axe takes grows with a page and with what else the machine does. */
const VISIT_MS = 120_000;

/** A tab, and what the browser complained about in it. */
interface Tab {
  readonly page: Page;
  readonly complaints: PageComplaints;
}

let site: SiteServer;
let browser: Browser;
/** Tabs that no case uses. */
const free: Tab[] = [];
const seen = new Map<string, PageLinks>();

beforeAll(async () => {
  [site, browser] = await Promise.all([serveSite(), Browser.start()]);
});
afterAll(async () => {
  await browser.stop();
  await site.stop();
});

/** Hands a tab to a case: one that was used before, or a new one. */
async function inTab(use: (tab: Tab) => Promise<void>): Promise<void> {
  const tab = free.pop() ?? (await newTab());
  await use(tab);
  expect(tab.complaints.take()).toEqual([]);
  free.push(tab);
}

async function newTab(): Promise<Tab> {
  const page = await browser.page();
  await equip(page);
  return { page, complaints: new PageComplaints(page) };
}

async function open(page: Page, address: string): Promise<void> {
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(site.origin + address, { waitUntil: 'load' });
  await alive(page);
}

describe('every page of the built documentation', () => {
  // Side by side: a tab uses one core.
  it.concurrent.each(ADDRESSES)(
    '%s opens without a complaint, fits and is accessible, light and dark',
    { timeout: VISIT_MS },
    address =>
      inTab(async ({ page }) => {
        await open(page, address);
        expect(await unfilledTemplates(page)).toEqual([]);
        expect(await sidewaysScroll(page), 'at 1280 px').toBeLessThanOrEqual(0);
        const isOfEachKind = OF_EACH_KIND.includes(address);
        const without = isOfEachKind ? [] : SHARED;
        expect(await axeFaults(page, { without }), 'light').toEqual([]);
        seen.set(address, await linksOn(page));

        await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
        await page.waitForFunction('document.documentElement.classList.contains("dark")');
        expect(await axeFaults(page, { rules: ['color-contrast'], without }), 'dark').toEqual([]);

        await page.setViewportSize(NARROW);
        expect(await sidewaysScroll(page), 'at 360 px').toBeLessThanOrEqual(0);
        const rules = isOfEachKind ? undefined : OF_LAYOUT;
        expect(await axeFaults(page, { rules, without }), 'dark at 360 px').toEqual([]);
        await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
        await page.waitForFunction('!document.documentElement.classList.contains("dark")');
        expect(await sidewaysScroll(page), 'at 360 px').toBeLessThanOrEqual(0);
        // Colours move nothing: what the width decides was looked at.
        if (isOfEachKind) expect(await axeFaults(page), 'light at 360 px').toEqual([]);
      }),
  );

  it('has no link that leads to a page or heading that is not there', () => {
    expect(seen.size).toBe(ADDRESSES.length);
    const missing = [...seen].flatMap(([address, { targets }]) =>
      targets.filter(target => !leadsSomewhere(target)).map(target => `${address} → ${target}`),
    );
    expect(missing).toEqual([]);
  });
});

function leadsSomewhere(target: string): boolean {
  const [path = '', id] = target.split('#');
  if (/\.(md|txt|json)$/.test(path)) return true;
  const links = seen.get(path);
  return links !== undefined && (id === undefined || id === '' || links.ids.includes(id));
}

describe('the search', () => {
  it.each([
    ['recovery', '/delivery'],
    ['dead letter', '/sinks'],
    ['Sentinel', '/clustering'],
    ['refresh token', '/permissions'],
    ['WebTransport', '/transports'],
    ['Prometheus', '/monitoring'],
    ['Socket.IO', '/migrating-from-socket-io'],
    ['retired key', '/keys-runbook'],
    ['changeset', '/dash/changesets'],
    ['MSG_CHANNEL_NOT_FOUND', '/troubleshooting'],
    ['ApiKeyStore', '/reference/server'],
  ])('for %s finds %s', (words, expected) =>
    inTab(async ({ page }) => {
      await open(page, '/quickstart');
      await page.keyboard.press('/');
      await page.getByRole('searchbox').fill(words);
      const found = page.locator('.VPLocalSearchBox a.result');
      await found.first().waitFor();
      await expect
        .poll(async () => {
          const links = await found.evaluateAll(all => all.map(link => link.getAttribute('href') ?? ''));
          return links.slice(0, 5).map(link => link.split('#')[0]);
        })
        .toContain(expected);
    }),
  );
});
