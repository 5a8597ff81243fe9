import { display } from '../document/display.ts';
import { faultsWithoutControl } from '../render/controls/addresses.ts';
import { html, type Markup } from '../render/markup.ts';
import { renderPicture, titleOf } from '../render/picture.ts';
import type { Assets } from './assets.ts';
import type { Dashboard } from './dashboard.ts';
import { aboutDocument, keysDialog, liveState, pageTools, timeControls } from './page-head.ts';
import type { PagePolicy } from './policy.ts';
import type { PageSettings } from './settings.ts';
import { shell } from './shell.ts';

/** What the page of a dashboard is made of besides the dashboard. */
export interface DashboardPageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Address of the routes of this document. */
  readonly api: string;
  readonly revision: string | undefined;
  readonly settings: PageSettings;
}

/** The page of a dashboard (page and review 1). */
export function dashboardPage(dashboard: Dashboard, parts: DashboardPageParts): Markup {
  const { source, later, isTimed } = dashboard;
  const { assets, policy, api, revision, settings } = parts;
  const { tree, faults } = source;
  const { body, css } = renderPicture(source);
  const notices = html`<div class="fault" id="notice" role="alert" hidden><span class="code"></span><span></span></div><p class="sr" id="said" role="status"></p>`;
  const unplaced = faultsWithoutControl(tree, faults)
    .filter(([address]) => !isTimed || address !== '$time')
    .map(
      ([address, { code, message }]) =>
        html`<div class="fault setting"><span class="code">${code}</span><span><code>${display(address)}</code>: ${message}</span></div>`,
    );
  const whole =
    later.size === 0
      ? ''
      : html`<noscript><p class="banner note">Some items are still being asked for. <a class="under" href="?${settings.whole}">Wait for all of them</a></p></noscript>`;
  const time = isTimed ? timeControls(settings.time, settings.refresh, faults) : '';
  const content = html`${notices}${unplaced}${whole}<form id="settings" method="get"></form><div class="pagehead">${aboutDocument(tree, revision)}${pageTools()}</div>${time}
${body}${keysDialog()}`;
  const data = { api, revision, page: 'dashboard', charts: assets.address('charts.js') };
  const title = titleOf(tree);
  const { scheme } = settings;
  return shell({
    title,
    bar: liveState(),
    assets,
    policy,
    crumb: tree.manifest.id,
    content,
    css,
    scheme,
    data,
  });
}
