import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { ask } from '../http/serving.ts';
import { PageServer } from './page-server.ts';
import { Visit } from './visit.ts';

const PATIENT_MS = 120_000;
const JSON_TYPE = { 'content-type': 'application/json' };

/** A chart of three series, of which one is far above the others. */
function lines(title: string): JsonObject {
  const rows = [1, 2, 3, 4].map(x => ({ x, near: x, middle: 2 * x, far: 1_000 * x }));
  const config = {
    title,
    kind: 'line',
    x: 'x',
    series: [{ field: 'near' }, { field: 'middle' }, { field: 'far' }],
    connectionId: 'rows',
  };
  const block = { id: 'block', type: 'block', config: { content: { id: 'lines', type: 'chart', config } } };
  return {
    manifest: { formatVersion: '1.0.0', id: 'lines', title: 'Lines' },
    connections: [{ id: 'rows', type: 'static', config: { rows } }],
    root: { id: 'page', type: 'container', children: [{ id: 'body', type: 'container', children: [block] }] },
  };
}

let server: PageServer;
let visit: Visit;

beforeAll(async () => {
  server = await PageServer.start([lines('First')]);
  visit = await Visit.start(server.url);
}, PATIENT_MS);
afterAll(async () => {
  await visit.stop();
  await server.stop();
});

/** Colours of the lines that are drawn, and the highest number of the axis. */
const drawn = async (): Promise<{ colours: string[]; texts: string[] }> => ({
  colours: await visit.page
    .locator('#n-lines .plot path[stroke^="var(--series"]')
    .evaluateAll(all => [...new Set(all.map(one => one.getAttribute('stroke') ?? ''))].sort()),
  texts: await visit.page.locator('#n-lines .plot text').allTextContents(),
});

it(
  'an entry of a legend switches its series off and on by keyboard, and it stays off while the page changes',
  async () => {
    await visit.open('/d/lines');
    await visit.until('the live connection', async () => (await visit.page.textContent('#live')) === 'Live');
    const all = ['var(--series-1)', 'var(--series-2)', 'var(--series-3)'];
    await visit.until('the chart', async () => (await drawn()).colours.length === 3);
    expect((await drawn()).colours).toEqual(all);
    expect((await drawn()).texts).toContain('4,000');
    const far = visit.page.getByRole('button', { name: /^far/ });
    await far.focus();
    await visit.page.keyboard.press('Space');
    await visit.until('the chart without it', async () => (await drawn()).colours.length === 2);
    expect((await drawn()).texts).not.toContain('4,000');
    expect(await far.getAttribute('aria-pressed')).toBe('false');
    expect(await visit.page.evaluate('document.activeElement.textContent')).toContain('far');
    expect(await visit.axeViolations()).toEqual([]);
    await server.write(lines('Second'));
    await visit.until('the other title', async () =>
      (await visit.page.innerText('#n-lines')).includes('Second'),
    );
    expect((await drawn()).colours).toEqual(all.slice(0, 2));
    expect(await far.getAttribute('aria-pressed')).toBe('false');
    for (const name of [/^near/, /^middle/]) await visit.page.getByRole('button', { name }).click();
    await visit.until('the empty chart', async () => (await drawn()).colours.length === 0);
    expect(await visit.page.locator('#n-lines .legend button').count()).toBe(3);
    await far.click();
    await visit.until('the far one', async () => (await drawn()).colours.includes('var(--series-3)'));
    expect((await drawn()).colours).toEqual(['var(--series-3)']);
    expect(visit.complaints).toEqual([]);
  },
  PATIENT_MS,
);

it('hidden series are names by the id of their chart', async () => {
  const items = (body: string) =>
    ask(`${server.url}/api/d/lines/items`, { method: 'POST', headers: JSON_TYPE, body });
  const { text } = await items('{"ids": ["lines"], "hidden": {"lines": ["far", "nothing"], "other": []}}');
  expect(JSON.parse(text).html).toContain('data-series="far" data-off');
  for (const hidden of ['1', '[]', '{"lines": "far"}', '{"lines": [1]}'])
    expect((await items(`{"hidden": ${hidden}}`)).status, hidden).toBe(400);
});
