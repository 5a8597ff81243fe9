import { Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { AXE, axeViolationsIn } from './axe.ts';

const PATIENT_MS = 60_000;

export interface Look {
  readonly width?: number;
  readonly dark?: boolean;
}

/** A person before a browser: opens pages one after the other, and keeps what the browser complains about. */
export class Visit {
  readonly #browser: Browser;
  readonly #url: string;
  #page: Page | undefined;
  complaints: string[] = [];

  constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  static async start(url: string): Promise<Visit> {
    return new Visit(await Browser.start(), url);
  }

  get page(): Page {
    if (this.#page === undefined) throw new Error('no page is open');
    return this.#page;
  }

  async open(path: string, { width = 1280, dark = false }: Look = {}): Promise<void> {
    await this.close();
    const page = await this.#browser.page();
    this.#page = page;
    this.complaints = [];
    page.on('console', message => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', error => this.complaints.push(error.message));
    await page.addInitScript({ content: AXE });
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
    await page.goto(this.#url + path);
  }

  async close(): Promise<void> {
    await this.#page?.close();
    this.#page = undefined;
  }

  async stop(): Promise<void> {
    await this.close();
    await this.#browser.stop();
  }

  /** Ids of the rules that axe finds broken, with the first place of each. @param rules those to look for; default all */
  axeViolations(rules?: readonly string[]): Promise<string[]> {
    return axeViolationsIn(this.page, rules);
  }

  /** Pixels by which the page is wider than its window. */
  sideways(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  /** Waits until a condition on the page holds. */
  until(what: string, holds: () => Promise<boolean>): Promise<void> {
    return eventually(what, holds, PATIENT_MS);
  }

  /** Presses Tab until a control with this name has the focus. */
  async tabTo(name: string): Promise<void> {
    for (let presses = 0; presses < 100; presses++) {
      await this.page.keyboard.press('Tab');
      if ((await this.page.evaluate(NAME_OF_FOCUS)) === name) return;
    }
    throw new Error(`no way to "${name}" by keyboard`);
  }
}

const NAME_OF_FOCUS = `(() => {
  const { activeElement: at } = document;
  return at?.getAttribute('aria-label') ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? '';
})()`;
