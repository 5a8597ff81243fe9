import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeadConfig, PageData, TransformPageContext } from 'vitepress';
import type { PageGroup } from './navigation.ts';

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The first paragraph of a page that is prose. */
function firstParagraph(source: string): string {
  const [, text = ''] = /^# .+\n+([^#|`<\n-][\s\S]*?)\n(?:\n|$)/m.exec(source) ?? [];
  return text;
}

/** What a page is for: its own `description`, its row in the index, else its first paragraph; at most 200 characters. */
export function describePage(
  page: PageData,
  context: TransformPageContext,
  groups: readonly PageGroup[],
): void {
  if (page.description !== '') return;
  const row = groups.flatMap(({ pages }) => pages).find(({ path }) => path === page.filePath);
  const source = readFileSync(join(context.siteConfig.srcDir, page.filePath), 'utf8');
  const text = plain(row?.purpose ?? firstParagraph(source));
  page.description = text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

/** What a link to the page looks like elsewhere. */
export function socialHead(page: PageData): HeadConfig[] {
  const properties = {
    'og:type': 'article',
    'og:site_name': 'msg',
    'og:title': page.title,
    'og:description': page.description,
    'og:image': '/pictures/social.png',
    'og:image:alt': 'msg: realtime messaging that loses nothing quietly',
  };
  return [
    ...Object.entries(properties).map(([property, content]): HeadConfig => ['meta', { property, content }]),
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
    ['link', { rel: 'alternate', type: 'text/markdown', href: `/${page.relativePath}` }],
  ];
}
