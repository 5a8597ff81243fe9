import { systemClock } from '@msg/foundation/clock';
import { afterAll, describe, expect, it } from 'vitest';
import { isJsonObject, type Json } from '#src/document/json.ts';
import { Charts } from '#src/render/chart/charts.ts';
import {
  CORPUS,
  drawnStates,
  importFile,
  itemIds,
  reportText,
  unreportedLeaves,
  untrueEntries,
} from './corpus.ts';

/** How many panels and rows a file has. */
function panelsOf(file: Json): number {
  return (JSON.stringify(file).match(/"(?:gridPos|vizConfig)":/g) ?? []).length;
}

const charts = new Charts(systemClock);
afterAll(() => charts.close());

describe.each(CORPUS)('the dashboard $name', corpusFile => {
  const { file, imported } = importFile(corpusFile);

  it('has the report that is expected of it', async () => {
    await expect(reportText(imported)).toMatchFileSnapshot(corpusFile.expectation);
  });

  it('leaves no value unreported, and reports what is true', () => {
    expect(unreportedLeaves(file, imported.report)).toEqual([]);
    expect(untrueEntries(file, imported)).toEqual([]);
  });

  it('resolves, and every item of it is drawn', async () => {
    const ids = itemIds(imported.document);
    const states = await drawnStates(imported.document, charts);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.map(id => [id, states.get(id)])).toEqual(ids.map(id => [id, 'ready']));
  });
});

describe('the corpus', () => {
  it('has at least twelve dashboards of the three models, one of more than a hundred panels', () => {
    const models = CORPUS.map(corpusFile => importFile(corpusFile).imported.model);
    expect(CORPUS.length).toBeGreaterThanOrEqual(12);
    expect(new Set(models)).toEqual(new Set(['classic', 'v1', 'v2']));
    expect(Math.max(...CORPUS.map(corpusFile => panelsOf(importFile(corpusFile).file)))).toBeGreaterThan(100);
  });

  it('has each outcome, and one dashboard of which nothing is lost', () => {
    const losses = new Map(CORPUS.map(each => [each.name, importFile(each).imported.report.lost]));
    expect(losses.get('classic-nothing-lost')).toBe(0);
    expect(losses.get('classic-much-is-lost')).toBeGreaterThan(20);
  });

  it('finds a value that the report says nothing about', () => {
    const [first] = CORPUS.map(importFile);
    if (first === undefined || !isJsonObject(first.file)) throw new Error('no corpus');
    const file = { ...first.file, later: { added: 1 } };
    expect(unreportedLeaves(file, first.imported.report)).toEqual(['/later/added']);
  });
});
