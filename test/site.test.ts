import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

test('every page of the documentation is in the menu of the site, and nothing else', () => {
  const config = readFileSync(resolve(root, 'docs/.vitepress/config.ts'), 'utf8');
  const listed = [...config.matchAll(/page\('[^']+', '([^']+)'\)/g)].map(match => `docs/${match[1]}.md`);
  const pages = globSync('docs/**/*.md', { cwd: root }).filter(path => path !== 'docs/README.md');
  expect(listed.toSorted()).toEqual(pages.toSorted());
});
