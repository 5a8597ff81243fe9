import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { publicPackages, readManifest } from '../../../scripts/packages.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** A page as `docs/README.md` lists it. */
interface PageEntry {
  readonly title: string;
  /** Path of its Markdown below `docs`. */
  readonly path: string;
  /** What it is for, in Markdown. */
  readonly purpose: string;
}

/** A heading of `docs/README.md` with its pages. */
export interface PageGroup {
  readonly title: string;
  readonly pages: readonly PageEntry[];
}

/** The groups that the bar above every page leads to; each link opens the first page of its group. */
const BAR = ['Start', 'Concepts', 'Operate', 'Reference', 'Dashboards'];

/** The one list of pages: the tables of `docs/README.md`, which readers of the repository use as well. */
function pageGroups(index: string): PageGroup[] {
  const [, ...sections] = index.split(/^## /m);
  return sections.map(section => {
    const rows = section.matchAll(/^\| \[([^\]]+)\]\(([^)]+\.md)\) \| (.+) \|$/gm);
    const pages = [...rows].map(([, title = '', path = '', purpose = '']) => ({ title, path, purpose }));
    return { title: section.split('\n')[0] ?? '', pages };
  });
}

/** The pages that `npm run docs:reference` makes: one for each published package. */
export const REFERENCE: PageGroup = {
  title: 'TypeScript',
  pages: publicPackages(ROOT).map(folder => ({
    title: readManifest(ROOT, folder).name,
    path: `reference/${basename(folder)}.md`,
    purpose: readManifest(ROOT, folder).description ?? '',
  })),
};

/** All pages of the menu: those of the index, and behind the reference that of the types. */
export function readGroups(): PageGroup[] {
  const groups = pageGroups(readFileSync(resolve(ROOT, 'docs/README.md'), 'utf8'));
  return groups.flatMap(group => (group.title === 'Reference' ? [group, REFERENCE] : [group]));
}

/** The address of a page on the site: `quickstart.md` is `/quickstart`, `decisions/README.md` is `/decisions/`. */
export function addressOf(path: string): string {
  if (path === 'README.md') return '/pages';
  return `/${path.replace(/(^|\/)(README|index)\.md$/, '$1').replace(/\.md$/, '')}`;
}

export function sidebar(groups: readonly PageGroup[]): DefaultTheme.SidebarItem[] {
  return groups.map(({ title, pages }) => ({
    text: title,
    items: pages.map(page => ({ text: page.title, link: addressOf(page.path) })),
  }));
}

export function bar(groups: readonly PageGroup[]): DefaultTheme.NavItem[] {
  return BAR.map(text => {
    const group = groups.find(({ title }) => title === text);
    const first = group?.pages[0];
    if (first === undefined) throw new Error(`docs/README.md must have a section "${text}" with a page`);
    return { text, link: addressOf(first.path) };
  });
}
