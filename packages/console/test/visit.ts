import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The rules of axe that the width of a page decides. */
const RULES_OF_LAYOUT = [
  'scrollable-region-focusable',
  'target-size',
  'meta-viewport',
  'aria-hidden-focus',
  'button-name',
];
const PATIENT_MS = 60_000;

export interface Look {
  readonly width?: number;
  readonly dark?: boolean;
}

/**
 * Each page is looked at in these. Both schemes, and the wide and the narrow layout, are looked at with all rules of axe by the
 * first two, the other widths with the rules that a width decides.
 */
export const LOOKS: readonly Look[] = [
  { width: 1440, dark: false },
  { width: 390, dark: true },
  { width: 360, dark: false },
  // 1,280 pixels at 200 %.
  { width: 640, dark: true },
];

/** A browser notes each refusal of the service, and that a node of a busy machine waits for its store: the page shows both. */
export function isAnswer(complaint: string): boolean {
  return /responded with a status of (?:4\d\d|503) /.test(complaint);
}

/** An operator before a browser: signs in, opens pages, and keeps what the browser complains about. */
export class Visit {
  readonly #browser: Browser;
  readonly url: string;
  readonly page: Page;
  /** Errors and warnings, refused policies among them, and requests to another origin. */
  readonly complaints: string[] = [];
  /** Every text that went to the server or came from it. */
  readonly traffic: string[] = [];

  private constructor(browser: Browser, page: Page, url: string) {
    this.#browser = browser;
    this.page = page;
    this.url = url;
    page.on('console', message => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', error => this.complaints.push(error.message));
    page.on('request', request => {
      const { origin } = new URL(request.url());
      if (origin !== url && origin !== 'null') this.complaints.push(`a request to ${origin}`);
      this.traffic.push(request.url(), request.postData() ?? '');
    });
    page.on('response', response => {
      if (response.url().includes('/twirp/'))
        void response.text().then(
          text => this.traffic.push(text),
          () => {},
        );
    });
  }

  /** @param flags of the browser's command line */
  static async start(url: string, flags: readonly string[] = []): Promise<Visit> {
    const browser = await Browser.start(flags);
    const page = await browser.page();
    page.setDefaultTimeout(PATIENT_MS);
    return new Visit(browser, page, url);
  }

  /** Opens a page of the console. */
  async open(path: string, look: Look = {}): Promise<void> {
    await this.resize(look);
    await this.page.goto(`${this.url}/console/${path}`);
  }

  /** Looks at the open page in another size and scheme. */
  async resize({ width = 1440, dark = false }: Look = {}): Promise<void> {
    await this.page.setViewportSize({ width, height: 900 });
    await this.page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
  }

  /** Opens a page in a tab of its own, which stays. */
  async openBeside(path: string): Promise<Page> {
    const tab = await this.#browser.page();
    tab.setDefaultTimeout(PATIENT_MS);
    await tab.goto(`${this.url}/console/${path}`);
    await tab.locator('#content h1').first().waitFor();
    await this.until('its rows', async () => (await tab.locator('.waiting').count()) === 0);
    return tab;
  }

  async signIn(token: string): Promise<void> {
    await this.open('');
    await this.page.locator('#token').fill(token);
    await this.page.keyboard.press('Enter');
    await this.page.locator('#content h1').first().waitFor();
  }

  /** Waits until a text stands on the page. */
  async sees(text: string): Promise<void> {
    await this.page.getByText(text).first().waitFor({ timeout: PATIENT_MS });
  }

  /** Waits until nothing on the page is waited for. */
  async settles(): Promise<void> {
    await this.until(
      'the page',
      async () => (await this.page.locator('#content h1, .entrance h1').count()) > 0,
    );
    await this.until('its rows', async () => (await this.page.locator('.waiting').count()) === 0);
  }

  /** Waits until the tail of the live tab runs; the bar says "Live" of the page, too. */
  async tails(): Promise<void> {
    await this.page.locator('.filters .state', { hasText: 'Live' }).waitFor();
  }

  button(name: string | RegExp) {
    return this.page.getByRole('button', { name }).first();
  }

  /** Ids of the rules that axe finds broken, with the first place of each. @param rules those to look for; default all */
  async axeFaults(rules?: readonly string[]): Promise<string[]> {
    // Only the pages that are checked load it.
    if (await this.page.evaluate('globalThis.axe === undefined')) await this.page.evaluate(AXE);
    // Without what is as it should be, of which axe would note every place.
    const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
    return this.page.evaluate(async settings => {
      const { axe, document } = globalThis as unknown as {
        axe: {
          run(
            context: unknown,
            options: object,
          ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
        };
        document: unknown;
      };
      const { violations } = await axe.run(document, settings);
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)}`);
    }, options);
  }

  /** Opens a page, waits for a text on it, and tells what is wrong with it. */
  async faultsOf(path: string, text: string, look: Look): Promise<string[]> {
    this.complaints.length = 0;
    await this.open(path, look);
    await this.sees(text);
    await this.settles();
    const faults = await this.axeFaults(LOOKS.indexOf(look) < 2 ? undefined : RULES_OF_LAYOUT);
    if ((await this.sideways()) > 0) faults.push('wider than the window');
    faults.push(...(await this.overflowing()).map(text => `runs past its card: ${text}`));
    if ((await this.elements()) > 1500) faults.push('more than 1,500 elements');
    return [...faults, ...this.complaints.filter(complaint => !isAnswer(complaint))];
  }

  /** Pixels by which the page is wider than its window. */
  sideways(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  /** Texts of cells that are wider than their place in a card. */
  overflowing(): Promise<readonly string[]> {
    return this.page.evaluate(`[...document.querySelectorAll('.table.cards tbody :is(td, th)')]
      .filter(cell => cell.scrollWidth > cell.clientWidth + 1)
      .map(cell => cell.textContent.slice(0, 60))`);
  }

  /** Elements of the whole page. */
  elements(): Promise<number> {
    return this.page.evaluate('document.querySelectorAll("*").length');
  }

  until(what: string, holds: () => Promise<boolean>): Promise<void> {
    return eventually(what, holds, PATIENT_MS);
  }

  /** Presses Tab until a control with this name has the focus. */
  async tabTo(name: string): Promise<void> {
    for (let presses = 0; presses < 300; presses++) {
      await this.page.keyboard.press('Tab');
      const at = String(await this.page.evaluate(NAME_OF_FOCUS));
      if (at.trim() === name) return;
    }
    throw new Error(`no way to "${name}" by keyboard`);
  }

  stop(): Promise<void> {
    return this.#browser.stop();
  }
}

const NAME_OF_FOCUS = `(() => {
  const { activeElement: at } = document;
  return at?.getAttribute('aria-label') ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? '';
})()`;
