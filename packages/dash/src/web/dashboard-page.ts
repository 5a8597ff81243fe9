import { icon } from '../render/icons.ts';
import { html, type Markup } from '../render/markup.ts';
import { renderPicture, titleOf } from '../render/picture.ts';
import type { Assets } from './assets.ts';
import type { Dashboard } from './dashboard.ts';
import type { PagePolicy } from './policy.ts';
import { shell } from './shell.ts';

/** What the page of a dashboard is made of besides the dashboard. */
export interface DashboardPageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Address of the routes of this document. */
  readonly api: string;
  readonly revision: string | undefined;
  readonly scheme: 'light' | 'dark' | undefined;
}

/** Letters of a revision that a person reads. */
const SHORT_REVISION = 7;

/** The page of a dashboard (page and review 1). */
export function dashboardPage(dashboard: Dashboard, parts: DashboardPageParts): Markup {
  const { source, later } = dashboard;
  const { assets, policy, api, revision, scheme } = parts;
  const title = titleOf(source.tree);
  const { body, css } = renderPicture(source);
  const { description, id } = source.tree.manifest;
  const about = [
    ...(description === undefined ? [] : [html`<p class="sub">${description}</p>`]),
    ...(revision === undefined
      ? []
      : [html`<p class="sub">Revision <span class="mono">${revision.slice(0, SHORT_REVISION)}</span></p>`]),
  ];
  const tools = html`<div class="line js-only"><button class="btn quiet only" type="button" data-act="copy-link" aria-label="Copy link">${icon('copy')}</button></div>`;
  const whole =
    later.size === 0
      ? ''
      : html`<noscript><p class="banner note">Some items are still being asked for. <a href="?render=all">Wait for all of them</a></p></noscript>`;
  const content = html`${whole}<form id="settings" method="get"></form><div class="pagehead"><div><h1>${title}</h1>${about}</div>${tools}</div>
${body}`;
  return shell({
    title,
    assets,
    policy,
    crumb: id,
    content,
    css,
    scheme,
    data: { api, revision, page: 'dashboard' },
  });
}
