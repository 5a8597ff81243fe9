import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(resolve(root, path), 'utf8');
/** Pages below a folder, without its index. */
const pagesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: root }).filter(path => basename(path) !== 'README.md');

test('every page of the documentation is in the menu of the site, and nothing else', () => {
  const links = [...textOf('docs/.vitepress/config.ts').matchAll(/page\('[^']+', '([^']+)'\)/g)];
  const listed = links.map(([, link = '']) =>
    link.endsWith('/') ? `docs/${link}README.md` : `docs/${link}.md`,
  );
  const pages = pagesOf('docs/**/*.md').filter(path => !path.startsWith('docs/decisions/'));
  expect(listed.toSorted()).toEqual(['docs/decisions/README.md', ...pages].toSorted());
});

test('every decision is in their index, and nothing else', () => {
  const listed = [...textOf('docs/decisions/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(
    match => match[1],
  );
  expect(listed.toSorted()).toEqual(
    pagesOf('docs/decisions/*.md')
      .map(path => basename(path))
      .toSorted(),
  );
});
