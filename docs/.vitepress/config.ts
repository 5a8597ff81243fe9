import { defineConfig } from 'vitepress';
import { anchorOf } from './site/anchors.ts';
import { CODE_COLOURS } from './site/code-colours.ts';
import { linkPages, readRepositoryAddress } from './site/links.ts';
import { bar, readGroups, sidebar } from './site/navigation.ts';
import { tablesInRegions } from './site/tables.ts';

const groups = readGroups();
const repository = readRepositoryAddress();

/** The documentation as a site: `npm run docs` while writing, `npm run docs:build` for the files. */
export default defineConfig({
  lang: 'en',
  title: 'msg',
  description: 'A realtime messaging service for TypeScript that speaks the Centrifuge client protocol.',
  rewrites: { 'README.md': 'pages.md', 'decisions/README.md': 'decisions/index.md' },
  outDir: '../.tmp/site',
  cacheDir: '../.tmp/site-cache',
  cleanUrls: true,
  lastUpdated: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  markdown: {
    languageAlias: { output: 'log' },
    theme: CODE_COLOURS,
    anchor: { slugify: anchorOf },
    config(markdown) {
      linkPages(markdown, repository);
      tablesInRegions(markdown);
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: bar(groups),
    sidebar: sidebar(groups),
    ...(repository === undefined
      ? {}
      : { editLink: { pattern: `${repository}/edit/HEAD/docs/:path`, text: 'Edit this page' } }),
  },
});
