import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { MarkdownTwin } from './markdown-twin.ts';
import './tokens.css';
import './theme.css';
import './home.css';

/** Links at the foot of the home page; `llms.txt` is no page of the site, so the browser opens it. */
const FOOT = [
  { text: 'Limits', link: { href: '/limits' } },
  { text: 'Not supported', link: { href: '/not-supported' } },
  { text: 'Questions and answers', link: { href: '/faq' } },
  { text: 'llms.txt', link: { href: '/llms.txt', target: '_self' } },
];

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, undefined, {
      'doc-footer-before': () => h(MarkdownTwin),
      'page-bottom': () =>
        h('footer', [
          h(
            'div',
            FOOT.map(row => h('a', row.link, row.text)),
          ),
          h(MarkdownTwin),
        ]),
    }),
};

export default theme;
