import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { MarkdownTwin } from './markdown-twin.ts';
import './tokens.css';
import './theme.css';
import './home.css';

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, undefined, {
      'doc-footer-before': () => h(MarkdownTwin),
      'page-bottom': () => h('footer', h(MarkdownTwin)),
    }),
};

export default theme;
