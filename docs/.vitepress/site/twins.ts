import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { SiteConfig } from 'vitepress';
import { withParts } from './home/parts.ts';
import { fileAddress, repositoryPath } from './links.ts';
import type { PageGroup } from './navigation.ts';

/** Lines that only lay out the home page. */
const LAYOUT = /^<\/?(?:main|div)[^>]*>\n/gm;
/** The frame of blocks that are shown as tabs. */
const TABS = /^:::.*\n\n?/gm;
/** A picture for the other theme shows the same; the bar of a window and the frame of a picture are layout. */
const DARK_PICTURE = /^<img class="on-dark".*\n|^<figcaption>.*\n|^<\/?figure>\n/gm;

/** The Markdown beside a page: its source without what only the site needs, with links that work where it stands. */
function twinOf(source: string, file: string, repository: string | undefined): string {
  return withParts(source, 'twin')
    .replace(/^---\n[\s\S]*?\n---\n+/, '')
    .replace(/^<!-- Generated[^\n]*-->\n+/, '')
    .replace(LAYOUT, '')
    .trimStart()
    .replace(TABS, '')
    .replace(DARK_PICTURE, '')
    .replace(/<img class="on-light" src="([^"]+)" alt="([^"]+)"[^>]*>/g, '![$2]($1)')
    .replace(/<p class="figure"><strong>(.*?)<\/strong> (.*?)<\/p>/g, '**$1** $2')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/\[([^\]]*)\]\((\.{0,2}[^)\s:]*)\)/g, (link, text: string, href: string) => {
      const path = repositoryPath(file, href);
      if (path !== undefined)
        return repository === undefined ? text : `[${text}](${fileAddress(repository, path)})`;
      return link
        .replace(/\bdecisions\/README\.md/, 'decisions/index.md')
        .replace(/\bREADME\.md/, 'pages.md');
    });
}

/** `llms.txt`: what this is, and the Markdown of every page with what it is for. */
function llmsIndex(description: string, groups: readonly PageGroup[]): string {
  const sections = groups.map(({ title, pages }) => {
    const rows = pages.map(page => `- [${page.title}](${twinAddress(page.path)}): ${page.purpose}`);
    return `## ${title}\n\n${rows.join('\n')}\n`;
  });
  return [`# msg\n\n> ${description}\n`, ...sections].join('\n');
}

const twinAddress = (path: string): string => `/${path.replace(/README\.md$/, 'index.md')}`;

/** Writes a Markdown twin beside every built page, `llms.txt`, `llms-full.txt` and the OpenAPI document. */
export function writeTwins(
  config: SiteConfig,
  groups: readonly PageGroup[],
  repository: string | undefined,
): void {
  const twins = config.pages.map(page => {
    const file = join(config.srcDir, page);
    const text = twinOf(readFileSync(file, 'utf8'), file, repository);
    return { page, path: config.rewrites.map[page] ?? page, text };
  });
  for (const { path, text } of twins) {
    const target = join(config.outDir, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const order = groups.flatMap(({ pages }) => pages.map(({ path }) => path));
  const listed = twins
    .filter(({ page }) => order.includes(page))
    .sort((a, b) => order.indexOf(a.page) - order.indexOf(b.page));
  const full = listed.map(({ path, text }) => `<!-- /${relative('.', path)} -->\n\n${text}`);
  copyFileSync(join(config.srcDir, 'openapi.json'), join(config.outDir, 'openapi.json'));
  writeFileSync(join(config.outDir, 'llms.txt'), llmsIndex(config.site.description, groups));
  writeFileSync(join(config.outDir, 'llms-full.txt'), full.join('\n'));
}
