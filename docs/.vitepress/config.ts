import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { anchorOf } from './site/anchors.ts';
import { CODE_COLOURS } from './site/code-colours.ts';
import { inlineDiagrams } from './site/diagrams.ts';
import { homeParts } from './site/home/parts.ts';
import { linkPages, readRepositoryAddress } from './site/links.ts';
import { bar, readGroups, sidebar } from './site/navigation.ts';
import { describePage, socialHead } from './site/page-head.ts';
import { tablesInRegions } from './site/tables.ts';
import { writeTwins } from './site/twins.ts';

const groups = readGroups();
const repository = readRepositoryAddress();

/** The sign of the project beside its name; it takes the colour of the text. */
const BRAND = `${readFileSync(new URL('../public/icon.svg', import.meta.url), 'utf8')
  .replace(/<style>.*<\/style>|<title>.*<\/title>/g, '')
  .replace('<svg', '<svg aria-hidden="true"')}msg`;

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
  transformPageData: (page, context) => describePage(page, context, groups),
  transformHead: ({ pageData }) => socialHead(pageData),
  buildEnd: config => writeTwins(config, groups, repository),
  vite: { plugins: [homeParts] },
  markdown: {
    languageAlias: { output: 'log' },
    theme: CODE_COLOURS,
    anchor: { slugify: anchorOf },
    config(markdown) {
      linkPages(markdown, repository);
      tablesInRegions(markdown);
      inlineDiagrams(markdown);
    },
  },
  themeConfig: {
    siteTitle: BRAND,
    search: {
      provider: 'local',
      // What a page explains is found before the names of the type reference, which hold the same words.
      options: {
        miniSearch: {
          searchOptions: { boostDocument: (id: string) => (id.startsWith('/reference/') ? 0.2 : 1) },
        },
      },
    },
    outline: [2, 3],
    nav: bar(groups),
    sidebar: sidebar(groups),
    ...(repository === undefined
      ? {}
      : { editLink: { pattern: `${repository}/edit/HEAD/docs/:path`, text: 'Edit this page' } }),
  },
});
