// The console in Firefox as Debian ships it: every page, its live feed, and an act.
import { eventually } from '@msg/testkit';
import { type FirefoxPage, firefoxProgram, type StartedFirefox, startFirefox } from '@msg/testkit/firefox';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Furnished, furnished } from './dialogs.ts';
import { isAnswer } from './visit.ts';

const PATIENT_MS = 60_000;
const program = firefoxProgram();

describe.skipIf(program === undefined)('in Firefox', () => {
  let scene: Furnished;
  let firefox: StartedFirefox;
  let page: FirefoxPage;
  let version = '';
  /** Errors and warnings of the browser, refused policies among them. */
  const complaints: string[] = [];

  beforeAll(async () => {
    scene = await furnished();
    firefox = await startFirefox(program ?? '');
    version = await firefox.browser.version();
    page = await firefox.browser.newPage();
    page.setDefaultTimeout(PATIENT_MS);
    page.on('console', message => {
      if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(String(error)));
    await page.goto(`${scene.service.server.url}/console/`);
    await page.waitForSelector('#token');
    await page.type('#token', scene.service.server.token);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#content h1');
  });
  afterAll(async () => {
    await firefox.stop();
    await scene.service.stop();
  });

  const text = (selector: string): Promise<string> =>
    page.evaluate(
      `document.querySelector(${JSON.stringify(selector)})?.textContent ?? ''`,
    ) as Promise<string>;

  it('every page opens whole, and the browser has nothing to complain about', async () => {
    for (const [width, height] of [
      [1440, 900],
      [390, 800],
    ] as const) {
      await page.setViewport({ width, height });
      for (const path of scene.pages) {
        await page.goto(`${scene.service.server.url}/console/${path}`);
        await page.waitForSelector('#content h1');
        await page.waitForFunction('document.querySelector(".waiting") === null');
        const sideways = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([path, width, sideways]).toEqual([path, width, 0]);
      }
    }
    expect(complaints.filter(complaint => !isAnswer(complaint))).toEqual([]);
    console.log(`console: ${scene.pages.length} pages in ${version}`);
  });

  it('its feed is live: a publication comes into the tail, and a channel is closed', async () => {
    const name = 'public:shop.parcels';
    await page.setViewport({ width: 1440, height: 900 });
    await page.goto(`${scene.service.server.url}/console/channels/${encodeURIComponent(name)}?tab=live`);
    await page.waitForFunction('document.querySelector(".filters .state")?.textContent === "Live"');
    await eventually(
      'a publication in the tail',
      async () => {
        await scene.service.rpc.call('Publish', { name, json: { text: 'seen in Firefox' } });
        return (await text('section[aria-label="Live publications"]')).includes('seen in Firefox');
      },
      PATIENT_MS,
    );
    expect(await text('.top .state')).toBe('Live');
    await page.evaluate(
      `[...document.querySelectorAll('#content button')].find(one => one.textContent.startsWith('Close')).click()`,
    );
    await page.waitForSelector('dialog[open]');
    await page.evaluate(
      `[...document.querySelectorAll('dialog[open] button')].find(one => one.textContent.startsWith('Close channel')).click()`,
    );
    await page.waitForFunction('document.querySelector("#content").textContent.includes("Closed")');
    const { channel } = await scene.service.rpc.call('GetChannel', { name });
    expect(channel?.state).toBe('closed');
  });
});
