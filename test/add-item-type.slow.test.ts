import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, readPage } from './support/pages.ts';

describe('docs/dash/how-to-add-an-item-type.md, in a copy', () => {
  let copy: string;
  const dashdoc = (...args: string[]): string =>
    execFileSync(
      process.execPath,
      [
        '--conditions=msg-source',
        '--disable-warning=ExperimentalWarning',
        join(copy, 'bin/dashdoc.js'),
        ...args,
      ],
      { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );

  beforeAll(() => {
    // Inside the repository, so that the copy finds the packages that it imports.
    mkdirSync('.tmp', { recursive: true });
    copy = mkdtempSync(resolve('.tmp/item-type-'));
    for (const part of ['bin', 'src', 'schemas', 'examples', 'skills', 'package.json'])
      cpSync(join('packages/dash', part), join(copy, part), { recursive: true });
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it('one file makes a type of the catalogue that documents use', () => {
    expect(() => dashdoc('schema', 'quote')).toThrow(/"quote" does not exist/);
    const file = blocksOf(readPage('docs/dash/how-to-add-an-item-type.md')).find(
      ({ words }) => words[0] === 'quote.schema.json',
    );
    writeFileSync(join(copy, 'schemas/items/quote.schema.json'), file?.text ?? '');
    expect(dashdoc('schema', 'quote')).toContain('A quotation with its source.');

    const document = JSON.parse(readFileSync(join(copy, 'examples/brand-preview.json'), 'utf8'));
    const quote = { id: 'said', type: 'quote', config: {} };
    const block = { id: 'block', type: 'block', config: { content: quote } };
    document.root.children = [{ id: 'region', type: 'container', children: [block] }];
    quote.config = { text: 'Simple is better.' };
    writeFileSync(join(copy, 'document.json'), JSON.stringify(document));
    expect(dashdoc('resolve', join(copy, 'document.json'))).toContain('Simple is better.');
    quote.config = { source: 'a friend' };
    writeFileSync(join(copy, 'document.json'), JSON.stringify(document));
    expect(() => dashdoc('resolve', join(copy, 'document.json'))).toThrow(/RESOLVE_CONFIG_INVALID/);
  });
});
