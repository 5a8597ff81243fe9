import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { PAGES, type PageName, TEMPLATES, type TemplateName } from 'create-msg-app';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { axeFaults, equip, PageComplaints, sidewaysScroll } from '../support/page-visit.ts';
import { blocksOf, readPage } from '../support/pages.ts';
import { EXCHANGES, type RunningApp, Starter, type StarterApp } from '../support/starter.ts';

/** Those that are installed, started and opened. Each template and each kind of page is among them. */
const OPENED: readonly (readonly [TemplateName, PageName])[] = [
  ['chat', 'react'],
  ['orders', 'vanilla'],
  ['cursors', 'react'],
];
/** Those whose tests and build run with what another one installed. */
const BUILT: readonly (readonly [TemplateName, PageName])[] = [
  ['chat', 'vanilla'],
  ['orders', 'react'],
  ['cursors', 'vanilla'],
];

/** Pixels. */
const WIDTHS = [1440, 390];

let home: string;
let starter: Starter;
const apps = new Map<string, StarterApp>();
const appOf = (template: TemplateName, page: PageName): StarterApp => {
  const app = apps.get(`${template}-${page}`);
  if (app === undefined) throw new Error(`${template} was not created with ${page}`);
  return app;
};

/** A browser whose tabs can be checked and are watched. */
class WatchedBrowser {
  readonly #browser: Browser;
  readonly #complaints: PageComplaints[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async page(): Promise<Page> {
    const page = await this.#browser.page();
    // A dev server compiles when it is asked, and a test shares its machine.
    page.setDefaultTimeout(60_000);
    await equip(page);
    this.#complaints.push(new PageComplaints(page));
    return page;
  }

  complaints(): string[] {
    return this.#complaints.flatMap(complaints => complaints.take());
  }
}

/** Expects that a page looks as it should, light and dark, wide and narrow. */
async function expectWellMade(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of WIDTHS) {
      // Without the transition from one theme to the other.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      expect(await axeFaults(page), `${colorScheme} ${width}`).toEqual([]);
      expect(await sidewaysScroll(page), `${colorScheme} ${width}`).toBe(0);
    }
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'msg-starter-'));
  starter = await Starter.pack(home);
  for (const [template, page] of [...OPENED, ...BUILT])
    apps.set(`${template}-${page}`, await starter.create(`${template}-${page}`, template, page));
  const [first] = OPENED;
  await Promise.all(OPENED.map(([template, page]) => appOf(template, page).install()));
  if (first !== undefined) for (const names of BUILT) appOf(...names).borrow(appOf(...first));
}, 480_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('every template with every page is tried', () => {
  const all = Object.keys(TEMPLATES).flatMap(template =>
    Object.keys(PAGES).map(page => `${template}-${page}`),
  );
  expect([...apps.keys()].toSorted()).toEqual(all.toSorted());
});

it.concurrent.each([...OPENED, ...BUILT])(
  '%s with %s: its own tests and its build pass',
  async (template, page) => {
    const app = appOf(template, page);
    await app.run('npm test');
    await app.run('npm run build');
    expect(app.read('dist/index.html')).toContain('<script type="module"');
  },
  120_000,
);

describe.each(OPENED)('%s with %s', (template, page) => {
  let browser: Browser;
  let running: RunningApp | undefined;
  beforeAll(async () => {
    browser = await Browser.start();
  });
  afterAll(async () => {
    await browser.stop();
    await running?.process.stop();
  });

  it.each(['run dev', 'start'] as const)(
    'npm %s: two pages exchange a message',
    async script => {
      running = await appOf(template, page).start(script);
      const watched = new WatchedBrowser(browser);
      const pages = await EXCHANGES[template](watched, running.url);
      if (script === 'run dev') for (const opened of pages) await expectWellMade(opened);
      expect(watched.complaints()).toEqual([]);
      for (const opened of pages) await opened.close();
      await running.process.stop();
      expect(running.process.stderr).toBe('');
    },
    120_000,
  );

  it('names no registry', () => {
    for (const path of appOf(template, page)
      .files()
      .filter(path => !/node_modules|dist/.test(path)))
      if (!path.endsWith('package-lock.json'))
        expect(readFileSync(path, 'utf8'), path).not.toMatch(/registry\./);
  });
});

it('says that its port is taken, and how to choose another one', async () => {
  const app = appOf('orders', 'vanilla');
  const running = await app.start('start');
  try {
    const { port } = new URL(running.url);
    await expect(app.run(`PORT=${port} npm --silent start`)).rejects.toThrow(
      `port ${port} is taken: choose another one with PORT=${Number(port) + 1}`,
    );
  } finally {
    await running.process.stop();
  }
}, 60_000);

describe('the template orders', () => {
  const app = (): StarterApp => appOf('orders', 'vanilla');
  const tutorial = readPage('docs/tutorial.md');
  const program = (name: string): string =>
    blocksOf(tutorial).find(({ words }) => words[0] === name)?.text ?? '';

  it('has the configuration of the tutorial', () => {
    const [, text = ''] = /cat > msg\.yaml <<END\n([\s\S]*?)^END$/m.exec(tutorial) ?? [];
    const configuration = parse(app().read('msg.yaml'));
    const [key] = configuration.auth.api_keys;
    expect(configuration).toMatchObject(parse(text.replace('$DIGEST', key.sha256)));
  });

  it('has the private channel and the words of the tutorial', () => {
    const [, channel = ''] = /ORDER = '([^']+)'/.exec(app().read('shared/order.ts')) ?? [];
    expect(tutorial).toContain(`"name": "${channel}"`);
    for (const word of ['Live', 'Back online']) {
      expect(program('order.html')).toContain(`'${word}'`);
      expect(app().read('page/customer.ts')).toContain(`'${word}'`);
    }
  });

  it('serves the page and the program of the tutorial as they are', { timeout: 60_000 }, async () => {
    const running = await app().start('start');
    const browser = await Browser.start();
    try {
      const page = await browser.page();
      const html = program('order.html').replaceAll('http://localhost:8000', running.url);
      await page.route(`${running.url}/tutorial`, route =>
        route.fulfill({ contentType: 'text/html', body: html }),
      );
      await page.goto(`${running.url}/tutorial`);
      await page.getByText('Live', { exact: true }).waitFor();
      const customer = await browser.page();
      await customer.goto(running.url);
      await customer.getByText('Live', { exact: true }).waitFor();
      writeFileSync(join(app().folder, 'ask.mjs'), program('ask.mjs'));
      const publish = (channel: string, name: string) =>
        app().run(
          `. ./.env; MSG_KEY=$MSG_KEY MSG_URL=${running.url} node ask.mjs api/publish '${JSON.stringify({ channel, data: { name } })}'`,
        );
      expect((await publish('public:shop.1042', 'Paid')).stdout).toContain('{"result":{"offset":1');
      await page.getByRole('listitem').getByText('Paid').waitFor();
      await publish('private:shop.order.1042', 'Packed');
      await customer.locator('.done').getByText('Packed').waitFor();
    } finally {
      await browser.stop();
      await running.process.stop();
    }
  });

  it('with a store is one of two nodes', { timeout: 60_000 }, async () => {
    const store = await RedisServer.start();
    const configuration = app().read('msg.yaml');
    writeFileSync(join(app().folder, 'msg.yaml'), `${configuration}redis:\n  addr: ${store.address}\n`);
    const nodes = [await app().start('start'), await app().start('start')] as const;
    const browser = await Browser.start();
    try {
      const customer = await browser.page();
      await customer.goto(nodes[0].url);
      await customer.getByText('Live', { exact: true }).waitFor();
      await fetch(`${nodes[1].url}/advance`, { method: 'POST' });
      await customer.locator('.done').getByText('Paid').waitFor();
    } finally {
      await browser.stop();
      await Promise.all(nodes.map(node => node.process.stop()));
      await store.stop();
      writeFileSync(join(app().folder, 'msg.yaml'), configuration);
    }
  });
});
