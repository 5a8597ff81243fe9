import { Browser } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alive, equip } from '../support/page-visit.ts';
import { type SiteServer, serveSite } from '../support/site.ts';

/** Tab stops of a page at most, from its start to what a test looks for. */
const MOST_STOPS = 200;

describe('the site by keyboard alone', () => {
  let site: SiteServer;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    [site, browser] = await Promise.all([serveSite(), Browser.start()]);
    page = await browser.page();
    await equip(page);
  });
  afterAll(async () => {
    await browser.stop();
    await site.stop();
  });

  async function open(address: string, width = 1280): Promise<void> {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(site.origin + address, { waitUntil: 'load' });
    await alive(page);
  }

  /** Presses Tab until the focus is on what the selector finds. */
  async function tabTo(selector: string): Promise<void> {
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`)) return;
    }
    throw new Error(`no tab stop is ${selector}`);
  }

  it('skips to the content with the first stop', async () => {
    await open('/quickstart');
    await page.keyboard.press('Tab');
    const skip = page.locator(':focus');
    expect(await skip.textContent()).toContain('Skip to content');
    expect((await skip.boundingBox())?.width).toBeGreaterThan(40);
    await page.keyboard.press('Enter');
    await page.waitForFunction("document.activeElement?.id === 'VPContent'");
  });

  it('goes to another page by the bar, and to another by the menu', async () => {
    await open('/quickstart');
    await tabTo('.VPNavBarMenu a[href="/channels"]');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/channels');
    await open('/quickstart');
    await tabTo('.VPSidebar a[href="/react"]');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/react');
  });

  it('searches, opens a result, and closes with Escape', async () => {
    await open('/quickstart');
    await page.keyboard.press('/');
    const box = page.getByRole('searchbox');
    await box.waitFor();
    expect(await box.evaluate('document.activeElement?.matches("input[type=search]")')).toBe(true);
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await box.waitFor();
    await page.keyboard.type('presence');
    await page.locator('.VPLocalSearchBox a.result').first().waitFor();
    const target = await page.locator('.VPLocalSearchBox a.result.selected').getAttribute('href');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`location.pathname + location.hash === ${JSON.stringify(target)}`);
  });

  it('changes the language of a program with the arrow keys, and shows where the focus is', async () => {
    await open('/tutorial');
    await tabTo('.vp-code-group input');
    const group = page.locator('.vp-code-group').first();
    expect(await group.locator('.language-js').first().isVisible()).toBe(true);
    expect(await outlineOf('.vp-code-group input:focus-visible + label')).not.toBe('none');
    await page.keyboard.press('ArrowRight');
    await group.locator('.language-py').waitFor({ state: 'visible' });
    expect(await group.locator('.language-js').first().isVisible()).toBe(false);
  });

  it('changes the theme', async () => {
    await open('/quickstart');
    await tabTo('.VPSwitchAppearance');
    await page.keyboard.press('Space');
    await page.waitForFunction('document.documentElement.classList.contains("dark")');
    await page.keyboard.press('Space');
    await page.waitForFunction('!document.documentElement.classList.contains("dark")');
  });

  it('opens the menu of a narrow page', async () => {
    await open('/quickstart', 390);
    await tabTo('.VPLocalNav .menu');
    await page.keyboard.press('Enter');
    await page.locator('.VPSidebar.open').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.VPSidebar.open').waitFor({ state: 'detached' });
  });

  it.each(['/', '/tutorial'])('shows the focus at every stop of %s', async address => {
    await open(address);
    const hidden: string[] = [];
    for (let stop = 0; stop < 40; stop++) {
      await page.keyboard.press('Tab');
      const where = await page.evaluate<string | undefined>(`(() => {
        const element = document.activeElement;
        const styles = [getComputedStyle(element), getComputedStyle(element, '::after'), element.nextElementSibling && getComputedStyle(element.nextElementSibling)];
        const isShown = styles.some(style => style && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1);
        return isShown || element === document.body ? undefined : element.outerHTML.slice(0, 120);
      })()`);
      if (where !== undefined) hidden.push(where);
    }
    expect(hidden).toEqual([]);
  });

  const outlineOf = (selector: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).outlineStyle`);
});
