import { icon } from '../render/icons.ts';
import { attributes, type Content, html, type Markup, trusted } from '../render/markup.ts';
import type { Assets } from './assets.ts';
import type { PagePolicy } from './policy.ts';

/** What stands around the content of every page. */
export interface ShellParts {
  readonly title: string;
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Last step of the way to this page; without it the page is the list. */
  readonly crumb?: string;
  /** Steps between the list and the last one: address and words. */
  readonly between?: readonly (readonly [string, string])[];
  /** Name of a further script and a further style sheet of this kind of page. */
  readonly own?: string;
  /** Right end of the bar: the state of the live connection, buttons. */
  readonly bar?: Content;
  readonly content: Content;
  /** Rules that depend on the document; made by the renderer, so they hold no text of it. */
  readonly css?: string;
  /** `light` or `dark` forces a scheme. */
  readonly scheme?: string | undefined;
  /** What the script of the page needs to know. */
  readonly data?: Readonly<Record<string, string | undefined>>;
}

const MARK = 'M2.5 3.500h15M2.5 3.500v13h15v-13M8 8.500v8M2.5 8.500h15M11 13.500h3.500';

/** A whole page (page and review 1.6). */
export function shell({
  title,
  assets,
  policy,
  crumb,
  between = [],
  own,
  bar,
  content,
  css = '',
  scheme,
  data = {},
}: ShellParts): Markup {
  const named = Object.fromEntries(Object.entries(data).map(([name, value]) => [`data-${name}`, value]));
  const rules = css === '' ? '' : html`<style nonce="${policy.nonce}">${trusted(css)}</style>`;
  const steps = between.map(
    ([address, words]) => html`<a class="clip" href="${address}">${words}</a>${icon('right')}`,
  );
  const [sheet, script] = [
    own && html`<link rel="stylesheet" href="${assets.address(`${own}.css`)}">`,
    own && html`<script src="${assets.address(`${own}.js`)}" defer></script>`,
  ];
  const place =
    crumb === undefined
      ? html`<span aria-current="page">Dashboards</span>`
      : html`<a href="/">Dashboards</a>${icon('right')}${steps}<span aria-current="page" class="clip">${crumb}</span>`;
  return html`<!doctype html>
<html lang="en"${attributes({ 'data-theme': scheme })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · dash</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.address('page.css')}">${sheet}
${rules}
<script src="${assets.address('page.js')}" defer></script>${script}
</head>
<body${attributes(named)}>
<a class="skip" href="#content">Skip to content</a>
<header class="top"><a class="brand" href="/" aria-label="dash, all dashboards"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="${MARK}"/></svg><span>dash</span></a><nav class="crumbs" aria-label="Breadcrumb">${place}</nav>${bar}<button class="btn quiet only js-only" type="button" data-act="theme" aria-label="Theme: system">${icon('theme')}</button></header>
<main class="main" id="content">${content}</main>
</body>
</html>
`;
}
