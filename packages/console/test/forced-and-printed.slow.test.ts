// Pages in the colours that a reader forces, and on paper (console 9).
import { WebhookReceiver } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

const NAME = 'public:shop.parcels';
const at = encodeURIComponent(NAME);
const LETTERS = 40;
const ISO = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

const hook = new WebhookReceiver({ status: 503 });
let service: Service;
let visit: Visit;

beforeAll(async () => {
  const destination = await hook.listen();
  const sinks = `sinks:\n  orders: { kind: webhook, url: "${destination}/hook" }\nsink_retry: { max_attempts: 1 }\n`;
  service = await Service.configured(sinks, ['--private-sink-urls']);
  await service.fill(NAME, '{"parcel":1}', 'plain text');
  for (let order = 0; order < LETTERS; order++)
    await service.park('orders', `${destination}/${order}`, { order });
  hook.behaviour = { status: 200 };
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
}, 120_000);
afterAll(async () => {
  await visit.page.emulateMedia({ media: null, forcedColors: null });
  await visit.stop();
  await service.stop();
  await hook.close();
});

/** Computed styles of the first element of a selector. */
const styleOf = (selector: string, property: string, pseudo = ''): Promise<string> =>
  visit.page.evaluate(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)}), ${JSON.stringify(pseudo)})[${JSON.stringify(property)}]`,
  );

const visibleOf = (selector: string): Promise<number> =>
  visit.page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].filter(one => one.getClientRects().length > 0).length`,
  );

describe.each(['light', 'dark'] as const)('with forced colours, %s', colorScheme => {
  async function open(path: string): Promise<void> {
    await visit.open(path);
    await visit.page.emulateMedia({ colorScheme, forcedColors: 'active' });
    await visit.settles();
    // The colours are the reader's.
    const faults = await visit.axeFaults();
    expect(faults.filter(fault => !fault.startsWith('color-contrast'))).toEqual([]);
  }

  it('what is chosen is told by more than a colour: page, tab, row, view', async () => {
    await open(`channels/${at}?open=1`);
    expect(await styleOf('.side a[aria-current="page"]', 'outlineStyle')).toBe('solid');
    expect(await styleOf('.side a:not([aria-current])', 'outlineStyle')).toBe('none');
    const canvas: string = await visit.page.evaluate(`(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'Canvas';
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    })()`);
    expect(await styleOf('.tabs a:not([aria-current])', 'borderBottomColor')).toBe(canvas);
    expect(await styleOf('.tabs a[aria-current="page"]', 'borderBottomColor')).not.toBe(canvas);
    expect(await styleOf('.table tbody tr.selected', 'outlineStyle')).toBe('solid');
    const [chosen, other] = ['.segmented label:has(:checked)', '.segmented label:not(:has(:checked))'];
    expect(await styleOf(chosen, 'backgroundColor')).not.toBe(await styleOf(other, 'backgroundColor'));
  });

  it('every control has an edge, and the one with the focus an outline', async () => {
    for (const path of ['', 'channels', 'connections', 'dead-letters', 'keys', 'audit']) {
      await open(path);
      const bare: string[] =
        await visit.page.evaluate(`[...document.querySelectorAll('.btn, .input, .select, .chip')]
        .filter(one => one.getClientRects().length > 0 && getComputedStyle(one).borderTopStyle === 'none')
        .map(one => one.outerHTML.slice(0, 80))`);
      expect([path, bare]).toEqual([path, []]);
      await visit.page.locator('#content').focus();
      await visit.page.keyboard.press('Tab');
      expect(await visit.page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe(
        'none',
      );
    }
  });

  it('the progress of a running job is seen', async () => {
    const request = { sink: 'orders', all: true, per_second: 0.5, concurrency: 1 };
    const { job } = await service.rpc.call('DlqRedrive', request);
    await open('dead-letters');
    await visit.page.locator('.progress').first().waitFor();
    expect(await styleOf('.progress', 'borderTopStyle')).toBe('solid');
    await service.rpc.call('DlqJobStop', { job: job?.id ?? '' });
    await visit.until('its end', async () => {
      const { jobs } = await service.rpc.call('DlqJobs', {});
      return jobs.every(({ state }) => state === 'stopped');
    });
  });
});

/** Words of at most so many characters are whole on paper; a longer one is a name that somebody chose. */
const LONGEST_WORD = 22;

/** Words of what is printed that take more than one line. */
const broken = (): Promise<readonly string[]> =>
  visit.page.evaluate(`(() => {
    const found = [];
    const walker = document.createTreeWalker(document.querySelector('#content'), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      for (const { index, 0: word } of node.data.matchAll(/[^\\s.:/-]+/g)) {
        if (word.length > ${LONGEST_WORD}) continue;
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push(word);
      }
    return found;
  })()`);

async function print(path: string, width: number): Promise<void> {
  await visit.open(path, { width, dark: true });
  await visit.settles();
  await visit.page.emulateMedia({ media: 'print', colorScheme: 'dark', forcedColors: 'none' });
}

/** Pixels between the margins of A4, across and upright. */
const [ACROSS, UPRIGHT] = [1032, 703];

describe.each([
  ['A4 across', ACROSS],
  ['A4 upright', UPRIGHT],
  ['A4 without margins', 794],
  ['a narrow page', 640],
])('the audit on %s', (_, width) => {
  it('is whole, dark on white, with exact times and without what is operated', async () => {
    await print('audit', width);
    expect(await visibleOf('.side, .top, .btn, .filters, .select')).toBe(0);
    const main: number = await visit.page.evaluate(
      'document.querySelector("#content").getBoundingClientRect().width',
    );
    expect(main).toBeGreaterThan(width * 0.9);
    expect(await visit.sideways()).toBe(0);
    expect(await visit.overflowing()).toEqual([]);
    const cells = await visit.page.locator('.table tbody tr').first().locator('td, th').count();
    expect(await visibleOf('.table tbody tr:first-child > *')).toBe(cells);
    expect(await styleOf('.table time', 'content', '::after')).toMatch(ISO);
    expect(await styleOf('.table time', 'fontSize')).toBe('0px');
    expect(await styleOf('html', 'colorScheme')).toBe('light');
    const ink = (await styleOf('h1', 'color')).match(/\d+/g)?.map(Number) ?? [];
    expect(Math.max(...ink)).toBeLessThan(60);
    await visit.page.emulateMedia({ media: null });
  });
});

describe.each([
  ['across', ACROSS],
  ['upright', UPRIGHT],
])('on A4 %s', (_, width) => {
  it('no word of a page is broken, and no page is wider than the paper', async () => {
    const pages = ['', 'channels', `channels/${at}`, 'connections', 'dead-letters/orders', 'keys', 'audit'];
    for (const path of pages) {
      await print(path, width);
      expect([path, await visit.sideways(), await visit.overflowing(), await broken()]).toEqual([
        path,
        0,
        [],
        [],
      ]);
      const tables: number = await visit.page.evaluate(
        `Math.max(0, ...[...document.querySelectorAll('.tablewrap')].map(one => one.scrollWidth - one.clientWidth))`,
      );
      expect([path, tables]).toEqual([path, 0]);
      await visit.page.emulateMedia({ media: null });
    }
  });
});

it('paper is taken across', async () => {
  await visit.open('audit');
  await visit.settles();
  const pdf = (await visit.page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
  const boxes = Array.from(pdf.matchAll(/\/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]/g), ([, width, height]) => [
    Number(width),
    Number(height),
  ]);
  expect(boxes.length).toBeGreaterThan(0);
  for (const [width = 0, height = 0] of boxes) expect(width).toBeGreaterThan(height);
});
