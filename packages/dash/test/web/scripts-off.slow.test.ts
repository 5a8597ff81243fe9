import { Browser } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { EXAMPLES } from './examples.ts';
import { PageServer } from './page-server.ts';

const PATIENT_MS = 120_000;
const IDS = EXAMPLES.map(({ manifest }) => String((manifest as JsonObject)['id']));

let server: PageServer;
let browser: Browser;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  [server, browser] = await Promise.all([PageServer.start(EXAMPLES), Browser.start()]);
  page = await browser.pageWithoutScripts();
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
}, PATIENT_MS);

afterAll(async () => {
  await browser.stop();
  await server.stop();
});

/** What a person finds in each item: its state, its size, and whether it has words or a picture. */
const READ = `[...document.querySelectorAll('#canvas [data-leaf]')].map(item => {
  const { width, height } = item.getBoundingClientRect();
  const shows = item.innerText.trim() !== '' || item.querySelector('svg, img, input, select, textarea') !== null;
  const isHidden = item.closest('[hidden]') !== null;
  return { id: item.dataset.node, state: item.dataset.state, readable: isHidden || (width > 0 && height > 0 && shows) };
})`;

/** Ids of the controls; the boxes of a group share that of the group. */
const IDS_OF_CONTROLS = String.raw`[...document.querySelectorAll('[form^=settings][id]:not([disabled])')].map(control =>
  control.closest('.choices, .segmented') === null ? control.id : control.id.replace(/-\d+$/, ''))`;

describe.each(IDS)('%s with scripts off', id => {
  it.each([1280, 390])(
    'is readable, %i wide',
    async width => {
      complaints = [];
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${server.url}/d/${id}?render=all`);
      expect(await page.evaluate('document.documentElement.classList.contains("js")')).toBe(false);
      const items = (await page.evaluate(READ)) as { id: string; state: string; readable: boolean }[];
      expect(items.length).toBeGreaterThan(0);
      expect(items.filter(({ readable, state }) => !readable || state === 'loading')).toEqual([]);
      expect(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).toBeLessThanOrEqual(0);
      for (const chart of await page.locator('.t-chart[data-state=ready] .plot').all()) {
        const [drawn, room] = [await chart.locator('svg').boundingBox(), await chart.boundingBox()];
        expect(drawn?.width).toBeCloseTo(room?.width ?? 0, 0);
      }
      expect(complaints.filter(text => !/404|ERR_NAME_NOT_RESOLVED|ERR_INTERNET/.test(text))).toEqual([]);
    },
    PATIENT_MS,
  );

  it(
    'applies each control by the button of its form',
    async () => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${server.url}/d/${id}?render=all`);
      const names = new Set((await page.evaluate(IDS_OF_CONTROLS)) as string[]);
      for (const name of names) {
        await page.goto(`${server.url}/d/${id}?render=all`);
        const wanted = await change(name);
        if (wanted === undefined) continue;
        const form = await page.locator(`[id="${name}"], [id="${name}-0"]`).first().getAttribute('form');
        await page.locator(`button[form="${form}"]`).first().click();
        await page.waitForURL(/\?/);
        expect.soft(await heldBy(name), `${id} ${name} at ${page.url()}`).toEqual(wanted);
        expect.soft(await page.locator('#canvas .fault').allInnerTexts(), name).toEqual([]);
      }
    },
    PATIENT_MS,
  );
});

/** Changes a control as a person does, and says what it shall hold; undefined where it has no other value. */
async function change(name: string): Promise<unknown> {
  const one = page.locator(`[id="${name}"]`);
  const boxes = page.locator(`[id^="${name}-"][form^=settings]`);
  if ((await one.count()) === 0) {
    const off = boxes.locator('xpath=self::*[not(@checked)]').first();
    if ((await off.count()) === 0) return undefined;
    await off.check();
    return heldBy(name);
  }
  const kind = await one.evaluate(control => `${control.tagName} ${control.getAttribute('type') ?? ''}`);
  if (kind === 'INPUT checkbox') await one.setChecked(!(await one.isChecked()));
  else if (kind === 'INPUT range') await one.press('ArrowRight');
  else if (kind === 'INPUT number') await one.fill(await otherNumber(name));
  else if (kind.startsWith('SELECT')) {
    const values = await one
      .locator('option')
      .evaluateAll(all => all.map(each => each.getAttribute('value') ?? ''));
    const now = await heldBy(name);
    const other = values.find(value => ![now].flat().includes(value));
    if (other === undefined) return undefined;
    await one.selectOption(other);
  } else if (/data-tags/.test(await one.evaluate(control => control.outerHTML))) await one.fill('["other"]');
  else if (
    (await one.inputValue()).trimStart().startsWith('[') ||
    (await one.inputValue()).trimStart().startsWith('{')
  )
    return undefined;
  else await one.fill('Another text');
  return heldBy(name);
}

/** A number that the bounds of the control allow and that it does not hold. */
const otherNumber = (name: string): Promise<string> =>
  page.evaluate(`(() => {
    const { value, max, min, step } = document.getElementById(${JSON.stringify(name)});
    const by = Number(step) || 1;
    return String(max === '' || Number(value) + by <= Number(max) ? Number(value) + by : Number(min));
  })()`);

/** What a control holds: a text, whether it is on, or the values that are chosen. */
const heldBy = (name: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const id = ${JSON.stringify(name)};
    const one = document.getElementById(id);
    if (one === null) {
      const boxes = [...document.querySelectorAll('[id^="' + id + '-"][form^=settings]')];
      return boxes.filter(({ checked }) => checked).map(({ value }) => value);
    }
    if (one.multiple) return [...one.selectedOptions].map(({ value }) => value);
    return one.type === 'checkbox' ? one.checked : one.value;
  })()`);
