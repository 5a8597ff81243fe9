import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { type Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';
import type { Json } from '#src/document/json.ts';
import { askJson, type JsonAnswer, post } from '../http/serving.ts';
import { AXE, axeViolationsIn } from './axe.ts';
import type { PageServer } from './page-server.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** A wait that a loaded machine does not reach. */
export const PATIENT_MS = 240_000;

/** A POST of JSON as an agent's host sends it. */
export const postTo = (server: PageServer, path: string, body: object): Promise<JsonAnswer> =>
  post(`${server.url}${path}`, body, JSON_TYPE);

/** Hands a proposal over and answers its name. */
export async function handOver(server: PageServer, body: object): Promise<string> {
  const { status, body: answer } = await postTo(server, '/api/proposals', body);
  if (status !== 201) throw new Error(JSON.stringify(answer));
  return String(answer.proposal);
}

/** The address of a link that holds its proposal. */
export function linkOf(body: object): string {
  const payload = deflateRawSync(JSON.stringify(body)).toString('base64url');
  const check = createHash('sha256').update(payload).digest('base64url').slice(0, 6);
  return `/review#v1.${check}.${payload}`;
}

/** The resolved tree of a document. */
export const treeOf = async (server: PageServer, id: string) =>
  (await askJson(`${server.url}/api/d/${id}/tree`)).body;

/** A tab of a person who reviews, with everything that the browser complains about. */
export class Reviewer {
  readonly page: Page;
  /** Refusals of the policy, scripts that failed, requests that did. */
  readonly complaints: string[] = [];
  /** Addresses that the page asked for. */
  readonly asked: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('console', message => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', error => this.complaints.push(error.message));
    page.on('request', request => this.asked.push(request.url()));
  }

  static async open(browser: Browser, url: string, { width = 1280, dark = false } = {}): Promise<Reviewer> {
    const page = await browser.page();
    await page.addInitScript({ content: AXE });
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
    page.setDefaultTimeout(PATIENT_MS);
    page.setDefaultNavigationTimeout(PATIENT_MS);
    const reviewer = new Reviewer(page);
    await page.goto(url);
    return reviewer;
  }

  /** Ids of the rules that axe finds broken, with the first place of each. */
  axeViolations(): Promise<string[]> {
    return axeViolationsIn(this.page);
  }

  /** Pixels by which the page is wider than the window. */
  sideways(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  /** Presses Tab until an element has the focus, and answers how often. */
  async tabTo(selector: string): Promise<number> {
    for (let count = 1; count <= 60; count++) {
      await this.page.keyboard.press('Tab');
      if (await this.page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) === true`))
        return count;
    }
    throw new Error(`Tab does not reach ${selector}`);
  }

  press(...keys: string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  /** Waits for a text on the page. */
  reads(text: string): Promise<void> {
    return eventually(
      `“${text}” on the page`,
      async () => (await this.page.innerText('body')).includes(text),
      PATIENT_MS,
    );
  }
}

/** A changeset of one new title. */
export const renaming = (value: string): Json[] => [{ op: 'replace', path: '/$manifest/title', value }];
