import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf } from '../docs/.vitepress/site/anchors.ts';
import { REFERENCE } from '../docs/.vitepress/site/navigation.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = globSync(
  ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'bench/*.md', 'conformance/*.md', 'examples/*/*.md'],
  {
    cwd: ROOT,
    exclude: path => path.startsWith('docs/reference'),
  },
);
/** Pages that the build of the site makes: it fails for a link to a heading that they lack. */
const MADE = REFERENCE.pages.map(({ path }) => join(ROOT, 'docs', path));

const withoutCode = (text: string): string =>
  text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  const text = readFileSync(path, 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const base = anchorOf(plain);
    let anchor = base;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${base}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** What is wrong with a link of a page; `undefined` when it leads somewhere. */
function fault(page: string, target: string): string | undefined {
  if (/^(https?|mailto):/.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), decodeURI(path));
  if (relative(ROOT, file).startsWith('..')) return `${target} leads out of the repository`;
  if (MADE.includes(file)) return undefined;
  if (!existsSync(file)) return `${target} does not exist`;
  if (anchor === undefined) return undefined;
  if (statSync(file).isDirectory() || !file.endsWith('.md')) return `${target} is no page with headings`;
  return anchorsOf(file).has(anchor) ? undefined : `${target} has no such heading`;
}

function linksOf(page: string): string[] {
  const text = withoutCode(readFileSync(join(ROOT, page), 'utf8'));
  const inline = [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(([, target = '']) => target);
  const references = [...text.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)].map(([, target = '']) => target);
  return [...inline, ...references];
}

test.each(PAGES)('every link of %s leads somewhere', page => {
  expect(linksOf(page).flatMap(target => fault(page, target) ?? [])).toEqual([]);
});

test('every page of the documentation is in its index', () => {
  // The decisions have an index of their own.
  const listed = ['docs/README.md', 'docs/decisions/README.md'].flatMap(index =>
    linksOf(index).map(target => join(dirname(index), target)),
  );
  const missing = PAGES.filter(
    page => page.startsWith('docs/') && !['docs/README.md', 'docs/index.md'].includes(page),
  ).filter(page => !listed.includes(page));
  expect(missing).toEqual([]);
});

test('the check bites', () => {
  expect(fault('docs/README.md', 'nowhere.md')).toBe('nowhere.md does not exist');
  expect(fault('docs/README.md', 'clustering.md#nowhere')).toBe('clustering.md#nowhere has no such heading');
  expect(fault('docs/README.md', 'clustering.md#the-store')).toBeUndefined();
});
