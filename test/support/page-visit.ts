import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from './pages.ts';

const SCRIPTS = ['node_modules/axe-core/axe.min.js', 'test/support/in-page.js'];

/** Gives a tab what the checks below need in each of its pages. */
export async function equip(page: Page): Promise<void> {
  for (const path of SCRIPTS) await page.addInitScript({ content: readFileSync(join(ROOT, path), 'utf8') });
}

/** What the browser itself complained about while a page was open. */
export class PageComplaints {
  readonly #complaints: string[] = [];

  constructor(page: Page) {
    page.on('console', message => {
      if (['error', 'warning'].includes(message.type())) this.#complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', error => this.#complaints.push(`uncaught: ${error.message}`));
    page.on('requestfailed', request => {
      // A prefetch that a visit to the next page ends is no failure.
      const reason = request.failure()?.errorText ?? '';
      if (reason !== 'net::ERR_ABORTED') this.#complaints.push(`request: ${request.url()} ${reason}`);
    });
    page.on('response', response => {
      if (response.status() >= 400) this.#complaints.push(`request: ${response.url()} ${response.status()}`);
    });
  }

  /** The complaints since the last call. */
  take(): string[] {
    return this.#complaints.splice(0);
  }
}

/** Links to this site and ids of one page. */
export interface PageLinks {
  readonly ids: readonly string[];
  /** Path and fragment of each link to the same site. */
  readonly targets: readonly string[];
}

/** Links and ids of the page. */
export const linksOn = (page: Page): Promise<PageLinks> => page.evaluate('pageChecks.links()');

/** Places where a template that was not filled in shows: title, text and every attribute. */
export const unfilledTemplates = (page: Page): Promise<string[]> =>
  page.evaluate('pageChecks.unfilledTemplates()');

/** How far the page can be pushed sideways, in pixels. */
export const sidewaysScroll = (page: Page): Promise<number> => page.evaluate('pageChecks.sidewaysScroll()');

/** Waits until the page's program has taken over from the markup that was sent. */
export async function alive(page: Page): Promise<void> {
  await page.waitForFunction('pageChecks.isAlive()');
}

export interface AxeLook {
  /** Rules to look for; default all. */
  readonly rules?: readonly string[] | undefined;
  /** Parts of the page, as selectors, that are left out; default none. */
  readonly without?: readonly string[];
}

/** The violations that axe finds, one line each. */
export const axeFaults = (page: Page, look: AxeLook = {}): Promise<string[]> =>
  page.evaluate(`pageChecks.axeFaults(${JSON.stringify(look)})`);
