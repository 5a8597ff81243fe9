import { Browser } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import { applyChangeset } from '#src/changeset/apply.ts';
import { changesBetween } from '#src/changeset/changes.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import type { Sentence } from '#src/changeset/words.ts';
import { emptyPage } from '#src/document/empty-page.ts';
import type { JsonObject } from '#src/document/json.ts';
import { GOLDEN_CHANGESETS, type GoldenChangeset, golden } from '../changeset/golden-changesets.ts';
import { askJson } from '../http/serving.ts';
import { handOverGolden, reviewedDocuments, reviewedId } from './page-pictures.ts';
import { PageServer } from './page-server.ts';
import { PATIENT_MS, Reviewer } from './reviewing.ts';

const types = nodeTypes(loadCatalog());

let server: PageServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([PageServer.start(reviewedDocuments(), 'git'), Browser.start()]);
}, PATIENT_MS);
afterAll(async () => {
  await browser.stop();
  await server.stop();
});

/** What a changeset starts from, and what it makes of it. */
function documentsOf(changeset: GoldenChangeset): { before: JsonObject; after: JsonObject } {
  const id = reviewedId(changeset);
  const manifest = { formatVersion: '1.0.0', id, title: 'Service' };
  const before = changeset.create === true ? emptyPage(id) : { ...golden(), manifest };
  return { before, after: applyChangeset(id, before, parseChangeset([...changeset.ops]), types) };
}

const stored = async (id: string): Promise<JsonObject> =>
  JSON.parse(new TextDecoder().decode((await server.store.load(id)).bytes)) as JsonObject;

/** Goes through every item with the keyboard, as somebody who reads a review. */
async function readItems(reviewer: Reviewer): Promise<string[]> {
  const seen: string[] = [];
  const count = await reviewer.page.locator('.chg').count();
  for (let item = 0; item < count; item++) {
    await reviewer.press('j');
    seen.push(await reviewer.page.evaluate('document.activeElement.dataset.item'));
  }
  return seen;
}

describe('the review of a golden changeset is decided without its JSON', () => {
  it.each(GOLDEN_CHANGESETS)(
    '$name',
    async changeset => {
      const id = reviewedId(changeset);
      const { before, after } = documentsOf(changeset);
      const name = await handOverGolden(server, changeset);
      const { words } = (await askJson(`${server.url}/api/proposals/${name}`)).body as { words: Sentence[] };
      const reviewer = await Reviewer.open(browser, `${server.url}/r/${name}`);
      await reviewer.page.locator('html.js').waitFor();

      // Every change has its sentence, and every sentence stands on the page.
      const listed = await reviewer.page.locator('.words li').allTextContents();
      const { changes } = changesBetween(before, after, types);
      expect(changes.length).toBeGreaterThan(0);
      for (const { nodeId } of changes) {
        const sentences = words.filter(sentence => sentence.nodeId === nodeId);
        expect(sentences.length, nodeId).toBeGreaterThan(0);
        for (const { parts } of sentences) {
          const text = parts.map(part => part.text).join('');
          expect(
            listed.some(entry => entry.includes(text)),
            text,
          ).toBe(true);
        }
      }
      expect(words.map(({ text }) => text)).toEqual(changeset.words);

      const items = await reviewer.page
        .locator('.chg')
        .evaluateAll(all => all.map(one => one.getAttribute('data-item')));
      expect(await readItems(reviewer)).toEqual(items);
      expect(await reviewer.page.locator('pre').count()).toBe(0);

      if (changeset.broken !== undefined) {
        expect(await reviewer.page.innerText('#problem')).toContain(changeset.broken);
        expect(await reviewer.page.locator('[data-do=commit]').count()).toBe(0);
        await reviewer.press('r');
        await reviewer.page.keyboard.type('It is used');
        await reviewer.tabTo('[data-do=return]');
        await reviewer.press('Enter');
        await reviewer.reads('Sent back');
        expect(await stored(id)).toEqual(before);
      } else {
        await reviewer.press('c', 'Enter', 'Enter');
        await reviewer.reads('Committed as');
        expect(await stored(id)).toEqual(after);
      }
      expect(reviewer.asked.filter(address => address.endsWith('/json'))).toEqual([]);
      expect(reviewer.complaints).toEqual([]);
      await reviewer.page.close();
    },
    PATIENT_MS,
  );
});
