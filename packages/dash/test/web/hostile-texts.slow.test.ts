import { Browser, eventually } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { PageServer } from './page-server.ts';

const PATIENT_MS = 120_000;
const HOSTILE = [
  '</script><script>window.hit=1</script>',
  ']]><img src=x onerror="window.hit=1">',
  'javascript:window.hit=1',
  '\u202Egpj.exe\u2066\u200F',
  `"'\`><svg onload=window.hit=1><style>*{display:none}</style><!--`,
].join(' ');
const LONG = `${HOSTILE} ${'many words '.repeat(95_000)}`; // 1 MB

const leaf = (id: string, type: string, text: string, config: JsonObject): JsonObject => ({
  id: `${id}-block`,
  type: 'block',
  config: { title: text, content: { id, type, config } },
});

/** Every type of item with this text in every field, cell, label and error that takes one. */
function filled(id: string, text: string, { long = false } = {}): JsonObject {
  const columns = [{ header: text, field: 'cell' }];
  return {
    manifest: { formatVersion: '1.0.0', id, title: text, description: text },
    variables: [
      { name: 'text', type: 'string', default: text, label: text, description: text },
      { name: 'choice', type: 'enum', options: [text, 'other'], default: text },
      { name: 'many', type: 'array', default: [text] },
    ],
    connections: [
      {
        id: 'rows',
        type: 'static',
        config: {
          rows: [
            { cell: text, n: 1 },
            { cell: 'other', n: 2 },
          ],
        },
      },
      { id: 'error', type: 'scripted', config: { does: 'says', text } },
    ],
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'controls',
          type: 'variable-box',
          children: [
            ['text-input', 'text'],
            ['textarea', 'text'],
            ['select', 'choice'],
            ['radio-group', 'choice'],
            ['segmented', 'choice'],
            ['multiselect', 'many'],
            ['checkbox-group', 'many'],
            ['tag-input', 'many'],
          ].map(([type = '', variable = '']) => ({
            id: type,
            type,
            config: {
              variable,
              label: text,
              description: text,
              ...(['text-input', 'textarea', 'tag-input'].includes(type)
                ? { placeholder: text }
                : { options: [{ value: text, label: text }, { value: 'other' }] }),
            },
          })),
        },
        {
          id: 'body',
          type: 'container',
          children: [
            leaf('table', 'table', text, { title: text, connectionId: 'rows', columns }),
            leaf('own', 'table', text, { columns: [{ header: text }], rows: [[text], [true]] }),
            leaf('metric', 'metric', text, { title: text, value: text, unit: text }),
            leaf('bars', 'chart', text, {
              ...{ title: text, kind: 'bar', connectionId: 'rows', x: 'cell', xLabel: text, yLabel: text },
              series: [
                { field: 'n', label: text },
                { field: 'n', label: 'n' },
              ],
            }),
            leaf('pie', 'chart', text, {
              ...{
                title: text,
                kind: 'pie',
                connectionId: 'rows',
                x: 'cell',
                series: [{ field: 'n', label: text }],
              },
            }),
            leaf('heading', 'heading', text, { text, level: 2 }),
            leaf('image', 'image', text, {
              src: `/none.png?${text.slice(0, 100)}`,
              alt: text,
              caption: text,
            }),
            leaf('editor', 'configurator', text, { target: 'table', title: text }),
            leaf('failed', 'table', text, { title: text, connectionId: 'error' }),
            leaf('failed-metric', 'metric', text, { title: text, connectionId: 'error', aggregate: 'count' }),
            leaf('failed-chart', 'chart', text, {
              title: text,
              connectionId: 'error',
              kind: 'bar',
              x: 'x',
              series: [{ field: 'y' }],
            }),
            ...(long ? [] : [leaf('words', 'markdown', text, { source: `\`\`\`\n${text}\n\`\`\`` })]),
          ],
        },
      ],
    },
  };
}

const SMALL = ['hostile-all', HOSTILE] as const;
const PLAIN = ['plain-all', 'Plain words'] as const;

let server: PageServer;
let browser: Browser;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  const markdown = leaf('words', 'markdown', 'Long', { source: LONG });
  const long = {
    manifest: { formatVersion: '1.0.0', id: 'long-words', title: 'Long' },
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'body',
          type: 'container',
          children: [markdown, leaf('cell', 'table', 'Long', { columns: [{ header: 'a' }], rows: [[LONG]] })],
        },
      ],
    },
  };
  const bars = leaf('bars', 'chart', 'Long', {
    ...{
      kind: 'bar',
      x: 'x',
      series: [{ field: 'y', label: LONG }, { field: 'y' }],
      rows: [{ x: LONG, y: 1 }],
    },
  });
  const longChart = {
    ...long,
    manifest: { formatVersion: '1.0.0', id: 'long-chart', title: LONG.slice(0, 900) },
    root: { id: 'page', type: 'container', children: [{ id: 'body', type: 'container', children: [bars] }] },
  };
  const broken = { manifest: { formatVersion: '1.0.0', id: 'broken' }, root: { id: 'page', type: HOSTILE } };
  const documents = [filled(...SMALL), filled(...PLAIN), long, longChart, broken];
  [server, browser] = await Promise.all([PageServer.start(documents), Browser.start()]);
}, PATIENT_MS);

afterAll(async () => {
  await browser.stop();
  await server.stop();
});

async function open(path: string): Promise<void> {
  page = await browser.page();
  complaints = [];
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(error.message));
  page.on('dialog', dialog => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(server.url + path);
}

afterEach(async () => {
  expect(await page.evaluate('window.hit')).toBeUndefined();
  expect(complaints.filter(text => !/status of (?:404|422|400)/.test(text))).toEqual([]);
  await page.close();
});

const settled = (): Promise<void> =>
  eventually(
    'items that are all there',
    async () =>
      (await page.locator('[data-leaf][data-state=loading]').count()) === 0 &&
      (await page.textContent('#live')) === 'Live',
    PATIENT_MS,
    50,
  );

/** How many elements of each name the page has, and which attributes act. A notice without scripts depends on the time. */
const COUNTS = `(() => {
  const counts = {};
  for (const { localName } of document.querySelectorAll('body *:not(noscript)')) counts[localName] = (counts[localName] ?? 0) + 1;
  const acting = [...document.querySelectorAll('body, body *')].flatMap(element => [...element.attributes]
    .filter(({ name, value }) => name.startsWith('on') || name === 'style' || (['href', 'src', 'action', 'formaction'].includes(name) && /^\\s*(?:javascript|data|vbscript):/i.test(value)))
    .map(({ name, value }) => name + '=' + value));
  return { counts, acting };
})()`;

async function countsOf(id: string): Promise<{ counts: Record<string, number>; acting: string[] }> {
  await open(`/d/${id}`);
  await settled();
  await page.locator('#n-image').scrollIntoViewIfNeeded();
  await eventually(
    'the frames of pictures',
    async () => (await page.locator('#canvas img').count()) === 0,
    PATIENT_MS,
  );
  return (await page.evaluate(COUNTS)) as { counts: Record<string, number>; acting: string[] };
}

describe('hostile texts', () => {
  it(
    'in every field, cell, label and error make the same elements as plain words',
    async () => {
      const plain = await countsOf(PLAIN[0]);
      await page.close();
      const hostile = await countsOf(SMALL[0]);
      expect(hostile.acting).toEqual([]);
      expect(hostile.counts).toEqual(plain.counts);
      expect(await page.innerText('#n-failed')).toContain('window.hit=1');
      await page.keyboard.press('i');
      await page.locator('#inspector code').first().waitFor();
      expect(((await page.evaluate(COUNTS)) as { acting: string[] }).acting).toEqual([]);
      expect(await page.locator('body script').count()).toBe(plain.counts['script'] ?? 0);
    },
    PATIENT_MS,
  );

  it(
    'of a megabyte in a text, a cell and a label are shown as text',
    async () => {
      await open('/d/long-words');
      await settled();
      expect((await page.innerText('#n-cell td')).length).toBeGreaterThan(900_000);
      expect(await page.locator('#canvas svg[onload], #canvas script, #canvas style').count()).toBe(0);
      await page.close();
      await open('/d/long-chart');
      await settled();
      expect(await page.getAttribute('#n-bars', 'data-state')).toBe('ready');
      expect(await page.locator('#canvas script, #canvas style').count()).toBe(0);
    },
    PATIENT_MS,
  );

  it(
    'in the settings of the address, in an id, and in a document that does not resolve are words of an error',
    async () => {
      const hostile = encodeURIComponent(HOSTILE);
      for (const path of [
        `/d/plain-all?choice=${hostile}&nobody.title=${hostile}&${hostile}=1&$time=${hostile}`,
        `/d/${hostile}`,
        '/d/broken',
      ]) {
        await open(path);
        const { acting } = (await page.evaluate(COUNTS)) as { acting: string[] };
        expect(acting, path).toEqual([]);
        expect(await page.locator('svg[onload], img[onerror]').count()).toBe(0);
        expect(await page.evaluate('window.hit')).toBeUndefined();
        await page.close();
      }
      await open('/d/plain-all');
    },
    PATIENT_MS,
  );
});
