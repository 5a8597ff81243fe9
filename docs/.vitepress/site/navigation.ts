import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DefaultTheme } from 'vitepress';

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

export const readGroups = (): PageGroup[] =>
  pageGroups(readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8'));

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
