import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RepositoryCopy } from './support/copy.ts';
import { blocksOf, isRepositoryStep, readPage } from './support/pages.ts';

const PAGE = 'docs/dash/how-to-add-an-item-type.md';
const [schema, ...mentions] = blocksOf(readPage(PAGE)).filter(isRepositoryStep);
/** What compares types with pages and skills. */
const SUITES = ['resolve/acceptance', 'resolve/documents-page', 'reads/answers', 'mcp/skills'];

describe('docs/dash/how-to-add-an-item-type.md, in a copy', { timeout: 180_000 }, () => {
  let copy: RepositoryCopy;
  const dashdoc = (...args: string[]): string => copy.run('packages/dash/bin/dashdoc.js', args);

  beforeAll(() => {
    copy = new RepositoryCopy(['foundation', 'command-line', 'dash'], ['docs']);
  });
  afterAll(() => copy.remove());

  it('one file makes a type of the catalogue that documents use', () => {
    expect(() => dashdoc('schema', 'quote')).toThrow(/"quote" does not exist/);
    if (schema !== undefined) copy.follow(schema);
    expect(dashdoc('schema', 'quote')).toContain('A quotation with its source.');

    const example = join(copy.root, 'packages/dash/examples/brand-preview.json');
    const document = JSON.parse(readFileSync(example, 'utf8'));
    const quote = { id: 'said', type: 'quote', config: {} };
    const block = { id: 'block', type: 'block', config: { content: quote } };
    document.root.children = [{ id: 'region', type: 'container', children: [block] }];
    quote.config = { text: 'Simple is better.' };
    writeFileSync(join(copy.root, 'document.json'), JSON.stringify(document));
    expect(dashdoc('resolve', join(copy.root, 'document.json'))).toContain('Simple is better.');
    quote.config = { source: 'a friend' };
    writeFileSync(join(copy.root, 'document.json'), JSON.stringify(document));
    expect(() => dashdoc('resolve', join(copy.root, 'document.json'))).toThrow(/RESOLVE_CONFIG_INVALID/);
  });

  it('the page and the skill that a type is named in are compared with the folder', () => {
    const files = SUITES.map(suite => `packages/dash/test/${suite}.test.ts`);
    const before = copy.runTests(files);
    expect(before.failed).toEqual([
      'the page on documents names every item type, every example and every theme token with its values',
      'the skill pack covers every item type in exactly one skill of items',
    ]);
    for (const mention of mentions) copy.follow(mention);
    const after = copy.runTests(files);
    expect(after.failed).toEqual([]);
    expect(after.passed.length).toBeGreaterThan(before.passed.length);
  });
});
