import { Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { AXE, axeViolationsIn } from './axe.ts';
import { everyState, hostileTexts } from './every-state.ts';
import { EXAMPLES } from './examples.ts';
import { PageServer } from './page-server.ts';

const PATIENT_MS = 240_000;

let server: PageServer;
let browser: Browser;
let page: Page;
/** What the browser complained about: refusals of the policy, scripts that failed, requests that did. */
let complaints: string[];

beforeAll(async () => {
  [server, browser] = await Promise.all([
    PageServer.start([...EXAMPLES, everyState(), hostileTexts()]),
    Browser.start(),
  ]);
}, PATIENT_MS);

afterAll(async () => {
  await browser.stop();
  await server.stop();
});

async function open(path: string, { width = 1280, dark = false } = {}): Promise<void> {
  page = await browser.page();
  complaints = [];
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(error.message));
  await page.addInitScript({ content: AXE });
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
  await page.goto(server.url + path);
}

afterEach(() => page.close());

/** Ids of the rules that axe finds broken, with the first place of each. */
const axeViolations = (): Promise<string[]> => axeViolationsIn(page);

const sideways = (): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

const stateOf = (id: string): Promise<string | null> => page.getAttribute(`#n-${id}`, 'data-state');

/** Waits until a condition on the page holds. */
const until = (what: string, holds: () => Promise<boolean>): Promise<void> =>
  eventually(what, holds, PATIENT_MS);

describe('every shipped example', () => {
  it.each(EXAMPLES.map(example => idOf(example)))(
    '%s is accessible, fits and raises no complaint, light and dark, wide and narrow',
    async id => {
      for (const look of [{ dark: false }, { dark: true, width: 390 }]) {
        await open(`/d/${id}`, look);
        await until('the live connection', async () => (await page.textContent('#live')) === 'Live');
        expect(await axeViolations()).toEqual([]);
        expect(await sideways()).toBeLessThanOrEqual(0);
        expect(complaints.filter(text => !/404|ERR_NAME_NOT_RESOLVED|ERR_INTERNET/.test(text))).toEqual([]);
        if (!look.dark) await page.close();
      }
    },
    PATIENT_MS,
  );
});

describe('every state', () => {
  it.each([
    { dark: false, width: 390 },
    { dark: true, width: 1280 },
    { dark: true, width: 390 },
  ])(
    'is accessible, fits and raises no complaint: %j',
    async look => {
      await open('/d/every-state', look);
      await until('the failed drawing', async () => (await stateOf('crash-chart')) === 'error');
      await until('the last rows', async () => (await stateOf('gauge-misfits')) === 'ready');
      expect(await axeViolations()).toEqual([]);
      expect(await sideways()).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
    },
    PATIENT_MS,
  );
});

describe('an item', () => {
  const TYPES = ['table', 'metric', 'chart', 'gauge'];

  it(
    'shows each of its states, in words',
    async () => {
      await open('/d/every-state');
      await until('the rows', async () => (await stateOf('table-rows')) === 'ready');
      server.source.failing.add('stale');
      await open('/d/every-state');
      for (const type of TYPES) {
        const states = {
          rows: 'ready',
          fails: 'error',
          forbidden: 'error',
          breaks: 'error',
          misfits: type === 'gauge' ? 'ready' : 'error',
          waits: 'loading',
          secret: 'error',
          other: 'empty',
        };
        for (const [name, state] of Object.entries(states)) {
          await until(`${type}, ${name}`, async () => (await stateOf(`${type}-${name}`)) === state);
        }
        await until(`${type}, empty`, async () => (await stateOf(`${type}-empty`)) === 'empty');
        if (type !== 'gauge')
          await until(`${type}, stale`, async () => (await stateOf(`${type}-stale`)) === 'stale');
        const text = (name: string) => page.innerText(`#n-${type}-${name}`);
        expect(await text('fails')).toContain('Prometheus refused the query: parse error at character 12');
        expect(await text('forbidden')).toContain(
          'Not allowed to ask http://prom:9090: start with --allow-query http://prom:9090',
        );
        expect(await text('secret')).toContain('Needs secret DASH_TEST_NO_SUCH_SECRET on the server');
        expect(await text('other')).toContain('Not asked yet: this version does not run queries of http.');
      }
      expect(await page.innerText('#n-table-misfits')).toContain('RESULT_SHAPE_INVALID');
      await until('the failed drawing', async () => (await stateOf('crash-chart')) === 'error');
      expect(await page.innerText('#n-crash-chart')).toContain('RENDER_FAILED');
      expect(await page.innerText('#n-table-stale')).toContain('QUERY_TIMEOUT');
      expect(await page.innerText('#n-metric-rows')).toContain('262');
      expect(await page.innerText('#n-metric-empty')).toContain('–');
      expect(await axeViolations()).toEqual([]);
      expect(complaints).toEqual([]);
    },
    PATIENT_MS,
  );

  it(
    'that waits is drawn when its rows come, and asks again when it is told to',
    async () => {
      await open('/d/every-state');
      await until('the late rows', async () => {
        server.source.waiting.get('waits')?.({ columns: ['region'], rows: [{ region: 'late' }] });
        return (await page.innerText('#n-table-waits')).includes('late');
      });
      const before = server.source.asked;
      await page.locator('#n-table-fails').getByRole('button', { name: 'Try again' }).click();
      await until('another request', () => Promise.resolve(server.source.asked > before));
    },
    PATIENT_MS,
  );
});

describe('hostile texts in every field', () => {
  it(
    'add no element, run nothing and raise no report',
    async () => {
      await open('/d/hostile');
      await until('the live connection', async () => (await page.textContent('#live')) === 'Live');
      expect(await page.locator('script').count()).toBe(1);
      await until('the frames of pictures', async () => (await page.locator('#canvas img').count()) === 0);
      expect(await page.locator('[onerror], [onload], [style]').count()).toBe(0);
      const addresses = await page
        .locator('#canvas [href], #canvas [src]')
        .evaluateAll(all => all.map(one => one.getAttribute('href') ?? one.getAttribute('src') ?? ''));
      expect(addresses.filter(address => /^(?:javascript|data|irc)/i.test(address))).toEqual([]);
      await page.keyboard.press('i');
      await page.locator('#inspector code').first().waitFor();
      expect(await page.locator('script').count()).toBe(1);
      expect(complaints).toEqual([]);
    },
    PATIENT_MS,
  );
});

describe('settings', () => {
  it(
    'are the address: Back, reload and a copied link show the same',
    async () => {
      await open('/d/everything');
      const caption = () => page.innerText('#n-scores .ititle');
      await page.getByLabel('Core', { exact: true }).check();
      await until('the other team', async () => (await caption()).startsWith('CORE'));
      expect(new URL(page.url()).search).toBe('?team=core');
      await page.getByLabel('Search').pressSequentially('hello');
      await until('the text', () => Promise.resolve(page.url().endsWith('search=hello')));
      await page.reload();
      expect(await page.getByLabel('Search').inputValue()).toBe('hello');
      expect(await caption()).toContain('CORE');
      await page.goBack();
      await until('the text before', async () => (await page.getByLabel('Search').inputValue()) === '');
      await page.goBack();
      await until('the team before', async () => (await caption()).startsWith('WEB'));
    },
    PATIENT_MS,
  );

  it(
    'while typing keep focus, caret and what is typed',
    async () => {
      await open('/d/everything');
      const search = page.getByLabel('Search');
      await search.pressSequentially('abef');
      await until('the text', () => Promise.resolve(page.url().endsWith('search=abef')));
      await page.evaluate('document.activeElement.setSelectionRange(2, 2)');
      await page.keyboard.type('cd');
      await until('the longer text', () => Promise.resolve(page.url().endsWith('search=abcdef')));
      await page.keyboard.type('!');
      expect(await search.inputValue()).toBe('abcd!ef');
    },
    PATIENT_MS,
  );

  it('that are wrong show their error at their control, and elsewhere above the page', async () => {
    await open('/d/everything?team=ops&scores.rows=1&weeks=2');
    expect(await page.innerText('#n-team-pick')).toContain('VAR_OPTIONS_INVALID');
    expect(await page.innerText('.fault.setting')).toContain('CONFIG_OVERRIDE_FIELD_UNKNOWN');
    expect(await page.innerText('#n-scores .ititle')).toBe('WEB / last 2 weeks');
  });

  it(
    'of an editor become a changeset',
    async () => {
      await open('/d/everything');
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', {
          value: { writeText: async (text: string) => Object.assign(globalThis, { copied: text }) },
        });
      });
      const editor = page.locator('[data-node]', { has: page.getByLabel('Title', { exact: true }) }).last();
      await editor.getByLabel('Title', { exact: true }).fill('Another');
      await page.keyboard.press('Tab');
      await until('the setting', () => Promise.resolve(page.url().includes('Another')));
      await editor.getByLabel(/: more$/).click();
      await editor.getByRole('button', { name: 'Copy as changeset' }).click();
      expect(
        JSON.parse(await page.evaluate(() => String((globalThis as { copied?: string }).copied))),
      ).toEqual([{ op: 'add', path: expect.stringMatching(/title$/), value: 'Another' }]);
    },
    PATIENT_MS,
  );
});

describe('without a script', () => {
  it(
    'a page is complete, and its form applies',
    async () => {
      const answer = await fetch(`${server.url}/d/everything?team=core&render=all`);
      const html = await answer.text();
      expect(html).toContain('CORE / last 4 weeks');
      expect(html).toContain('<button class="btn" type="submit" form="settings">Apply</button>');
      const whole = fetch(`${server.url}/d/every-state?render=all`);
      const rows = { columns: ['region'], rows: [{ region: 'late' }] };
      let states = '';
      void whole.then(async all => {
        states = await all.text();
      });
      await until('everything', () => {
        server.source.waiting.get('waits')?.(rows);
        return Promise.resolve(states !== '');
      });
      expect(states.match(/data-state="loading"/g)).toBe(null);
    },
    PATIENT_MS,
  );
});

describe('a document that changes', () => {
  it(
    'is swapped where it differs: focus and scroll stay',
    async () => {
      await open('/d/everything');
      await until('the live connection', async () => (await page.textContent('#live')) === 'Live');
      await page.getByLabel('Goal').focus();
      await page.evaluate(
        `document.querySelector('#n-note').setAttribute('data-kept', ''); scrollTo(0, 120)`,
      );
      const everything = EXAMPLES.find(example => idOf(example) === 'everything') as JsonObject;
      await server.write(JSON.parse(JSON.stringify(everything).replace('"By person"', '"By whom"')));
      await until('the other title', async () => (await page.getByText('By whom').count()) === 1);
      expect(await page.evaluate('document.activeElement?.id')).toBe('w-goal-input');
      expect(await page.evaluate('scrollY')).toBe(120);
      expect(await page.locator('#n-note[data-kept]').count()).toBe(1);
      await server.write({ ...everything, root: { id: 'page', type: 'no-such-type' } });
      await until('the error', async () =>
        (await page.innerText('#notice')).includes('SCHEMA_REF_UNRESOLVED'),
      );
      expect(await page.getByText('By whom').count()).toBe(1);
      await server.write(everything);
      await until('the repaired document', async () => !(await page.locator('#notice').isVisible()));
      expect(complaints.filter(text => !/404|422/.test(text))).toEqual([]);
    },
    PATIENT_MS,
  );
});

describe('with the keyboard alone', () => {
  it(
    'inspector and list of keys open and close',
    async () => {
      await open('/d/everything');
      await page.keyboard.press('i');
      await page.locator('#inspector dl').first().waitFor();
      expect(await page.innerText('#inspector')).toContain('declared at doc');
      expect(await axeViolations()).toEqual([]);
      await page.keyboard.press('Escape');
      expect(await page.locator('#inspector').count()).toBe(0);
      await page.keyboard.press('?');
      expect(await page.locator('#keys').isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement?.id')).toBe('w-search-input');
      await page.keyboard.type('i');
      expect(await page.locator('#inspector').count()).toBe(0);
    },
    PATIENT_MS,
  );

  it(
    'a table is sorted: ascending, descending, as stored',
    async () => {
      await open('/d/everything');
      const cells = () => page.locator('#n-scores tbody td:last-child').allInnerTexts();
      const stored = await cells();
      await page.locator('#n-scores th button').last().focus();
      await page.keyboard.press('Enter');
      expect(await cells()).toEqual([...stored].sort((a, b) => Number(a) - Number(b)));
      await page.keyboard.press('Enter');
      expect(await cells()).toEqual([...stored].sort((a, b) => Number(b) - Number(a)));
      await page.keyboard.press('Enter');
      expect(await cells()).toEqual(stored);
    },
    PATIENT_MS,
  );
});

function idOf(document: JsonObject): string {
  return String((document['manifest'] as JsonObject)['id']);
}
