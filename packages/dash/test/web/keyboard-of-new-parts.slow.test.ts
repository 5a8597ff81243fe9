import { Browser } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AllowedOrigins } from '#src/data/dial/allowed-origins.ts';
import { golden } from '../changeset/golden-changesets.ts';
import { newForms } from './new-forms.ts';
import { PageServer } from './page-server.ts';
import { handOver, PATIENT_MS, Reviewer } from './reviewing.ts';
import { SystemStates } from './system-states.ts';

const LOOKS = [{ dark: false }, { dark: true, width: 390 }];

let server: PageServer;
let systems: SystemStates;
let browser: Browser;
beforeAll(async () => {
  [systems, browser] = await Promise.all([SystemStates.open(), Browser.start()]);
  const { allow, environment } = systems;
  const queries = { allowed: new AllowedOrigins(allow), environment };
  server = await PageServer.start([golden(), newForms(), systems.document()], 'fs', queries);
}, PATIENT_MS);
afterAll(async () => {
  await browser?.stop();
  await server?.stop();
  await systems?.close();
});

/** Whether the focused element shows that it is focused. */
const SHOWS_FOCUS = `(() => {
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
  return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
})()`;

describe.each(LOOKS)('at %j', look => {
  it.each(['new-forms', 'system-states'])(
    '%s is accessible, fits and raises no complaint',
    {
      timeout: PATIENT_MS,
    },
    async id => {
      const visitor = await Reviewer.open(browser, `${server.url}/d/${id}`, look);
      await visitor.page.locator('#live').getByText('Live').waitFor();
      expect(await visitor.axeViolations()).toEqual([]);
      expect(await visitor.sideways()).toBeLessThanOrEqual(0);
      expect(visitor.complaints).toEqual([]);
      await visitor.page.close();
    },
  );

  it('warnings and held queries of a review are accessible and are read with the keyboard', {
    timeout: PATIENT_MS,
  }, async () => {
    const connection = {
      id: 'shop',
      type: 'http',
      config: {
        url: 'https://shop.example/rows',
        method: 'POST',
        headers: { authorization: 'Bearer abcdefgh' },
      },
    };
    const table = { id: 'sold', type: 'table', config: { connectionId: 'shop', query: { region: 'eu' } } };
    const name = await handOver(server, {
      id: 'golden',
      ops: [
        { op: 'add', path: '/$connections/-', value: connection },
        {
          op: 'add',
          path: '/body/children/-',
          value: {
            id: 'sold-block',
            type: 'block',
            config: { title: `Sold at ${look.width ?? 1280}`, content: table },
          },
        },
      ],
    });
    const reviewer = await Reviewer.open(browser, `${server.url}/r/${name}`, look);
    const { page } = reviewer;
    await page.locator('#warnings').waitFor();
    await page.locator('#held').waitFor();
    expect(await reviewer.axeViolations()).toEqual([]);
    expect(await reviewer.sideways()).toBeLessThanOrEqual(0);
    const warning = page.getByText('CREDENTIAL_LITERAL');
    expect(await warning.first().isVisible()).toBe(false);
    await reviewer.tabTo('#warnings summary');
    expect(await page.evaluate(SHOWS_FOCUS)).toBe(true);
    await page.keyboard.press('Enter');
    await warning.first().waitFor({ state: 'visible' });
    expect(await reviewer.axeViolations()).toEqual([]);
    await reviewer.tabTo('#held button');
    expect(await page.evaluate(SHOWS_FOCUS)).toBe(true);
    await page.keyboard.press('Enter');
    await page.locator('#held').waitFor({ state: 'detached' });
    expect(await page.innerText('.side.after')).toContain('https://shop.example');
    expect(reviewer.complaints).toEqual([]);
    await page.close();
  });
});

it('charts that are split and have thresholds are read and switched with the keyboard', {
  timeout: PATIENT_MS,
}, async () => {
  const visitor = await Reviewer.open(browser, `${server.url}/d/new-forms`);
  const { page } = visitor;
  await page.locator('#live').getByText('Live').waitFor();
  await page.locator('#n-lines .legend').waitFor();
  await visitor.tabTo('#n-lines .legend button');
  expect(await page.evaluate(SHOWS_FOCUS)).toBe(true);
  expect(await page.evaluate('document.activeElement.getAttribute("aria-pressed")')).toBe('true');
  await page.keyboard.press('Enter');
  await page.locator('#n-lines .legend button[aria-pressed=false]').waitFor();
  await visitor.tabTo('#n-lines summary');
  await page.keyboard.press('Enter');
  await page.locator('#n-lines details[open] table').waitFor();
  expect(await page.innerText('#n-lines details[open]')).toContain('eu-central');
  expect(await visitor.axeViolations()).toEqual([]);
  expect(visitor.complaints).toEqual([]);
  await page.close();
});
