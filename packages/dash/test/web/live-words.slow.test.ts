import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#src/document/json.ts';
import { PageServer } from './page-server.ts';
import { PATIENT_MS, postTo } from './reviewing.ts';
import { Visit } from './visit.ts';

const WIDE = `| ${'a long heading '.repeat(30)} | b |\n| --- | --- |\n| 1 | 2 |`;
const LINKS = '[first](https://one.example) and [second](https://two.example)';

/** Words between controls, tall enough that the page scrolls. */
function words(id: string, changing = `# Before\n\n${LINKS}\n\n${WIDE}`): JsonObject {
  const block = (name: string, content: JsonObject): JsonObject => ({
    id: `${name}-block`,
    type: 'block',
    config: { title: name, content: { id: name, ...content } },
  });
  return {
    manifest: { formatVersion: '1.0.0', id, title: 'Words' },
    variables: [{ name: 'search', type: 'string', default: '' }],
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'controls',
          type: 'variable-box',
          children: [{ id: 'find', type: 'text-input', config: { variable: 'search', label: 'Search' } }],
        },
        {
          id: 'body',
          type: 'container',
          children: [
            block('kept', { type: 'markdown', config: { source: 'As it is.\n\n'.repeat(60) } }),
            block('changing', { type: 'markdown', config: { source: changing } }),
            block('heading', { type: 'heading', config: { text: 'Found: \u0024{search}', level: 2 } }),
            block('last', { type: 'markdown', config: { source: 'The end.\n\n'.repeat(60) } }),
          ],
        },
      ],
    },
  };
}

let server: PageServer;
let visit: Visit;
beforeAll(async () => {
  server = await PageServer.start(
    ['typed', 'linked'].map(id => words(id)),
    'git',
  );
  visit = await Visit.start(server.url);
}, PATIENT_MS);
afterAll(async () => {
  await visit.stop();
  await server.stop();
});

async function open(id: string): Promise<void> {
  await visit.open(`/d/${id}`);
  await visit.until('the live connection', async () => (await visit.page.textContent('#live')) === 'Live');
  await visit.page.evaluate(`document.querySelector('#n-kept').setAttribute('data-mark', '')`);
}

const commit = async (id: string, ops: Json[]): Promise<void> => {
  expect((await postTo(server, '/api/patch', { id, ops })).status).toBe(200);
};

const reads = (text: string): Promise<void> =>
  visit.until(text, async () => (await visit.page.innerText('#canvas')).includes(text));

/** Pixels from the top of the window to an item. */
const placeOf = (id: string): Promise<number> =>
  visit.page.evaluate(`document.querySelector('#n-${id}').getBoundingClientRect().top`);

const isKept = async (): Promise<boolean> => (await visit.page.locator('#n-kept[data-mark]').count()) === 1;

beforeEach(() => visit.close());

describe('words that change while somebody reads them', () => {
  it(
    'leave alone what is typed, the caret and how far the page is scrolled',
    async () => {
      await open('typed');
      const { page } = visit;
      const search = page.getByLabel('Search');
      await search.pressSequentially('abef');
      await visit.until('the setting', async () => page.url().endsWith('search=abef'));
      await reads('Found: abef');
      await page.evaluate('document.activeElement.setSelectionRange(2, 2); scrollTo(0, 300)');
      const seen = await placeOf('kept');
      await commit('typed', [
        { op: 'replace', path: '/changing/config/source', value: `# After\n\n${LINKS}` },
        { op: 'remove', path: '/last-block' },
        {
          op: 'add',
          path: '/controls/children/0',
          value: { id: 'again', type: 'text-input', config: { variable: 'search', label: 'Also' } },
        },
      ]);
      await reads('After');
      expect(await page.locator('#n-last').count()).toBe(0);
      expect(await page.locator('#n-again').count()).toBe(1);
      // There is a control more above; what a person reads stays where it is.
      expect(await placeOf('kept')).toBeCloseTo(seen, 0);
      await page.keyboard.type('cd');
      expect(await search.inputValue()).toBe('abcdef');
      await reads('Found: abcdef');
      expect(await isKept()).toBe(true);
      expect(visit.complaints).toEqual([]);
    },
    PATIENT_MS,
  );

  it(
    'keep the link that has the focus, and how far a table in them is scrolled',
    async () => {
      await open('linked');
      const { page } = visit;
      await page.getByRole('link', { name: 'second' }).focus();
      await page.evaluate(
        `document.querySelector('#n-changing .tablewrap').scrollLeft = 120; scrollTo(0, 400)`,
      );
      await commit('linked', [
        { op: 'replace', path: '/changing/config/source', value: `# After\n\n${LINKS}\n\n${WIDE}` },
      ]);
      await reads('After');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('second');
      expect(await page.evaluate(`document.querySelector('#n-changing .tablewrap').scrollLeft`)).toBe(120);
      expect(await page.evaluate('scrollY')).toBe(400);
      expect(await isKept()).toBe(true);
      expect(visit.complaints).toEqual([]);
    },
    PATIENT_MS,
  );
});
