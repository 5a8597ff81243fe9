import { display } from '../document/display.ts';
import { errorsWithoutControl, repeatedForms, SETTINGS_FORM } from '../render/controls/addresses.ts';
import { attributes, html, type Markup } from '../render/markup.ts';
import { renderPicture, titleOf } from '../render/picture.ts';
import type { ResolvedTree } from '../resolve/tree.ts';
import type { Assets } from './assets.ts';
import type { Dashboard } from './dashboard.ts';
import {
  aboutDocument,
  type DocumentHead,
  type DocumentLinks,
  keysDialog,
  liveState,
  notice,
  pageTools,
  shortRevision,
  timeControls,
} from './page-head.ts';
import type { PagePolicy } from './policy.ts';
import type { PageSettings } from './settings.ts';
import { shell } from './shell.ts';

/** What the page of a dashboard is made of besides the dashboard. */
export interface DashboardPageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Address of the routes of this document. */
  readonly api: string;
  readonly head: DocumentHead;
  /** Of a document of a store. */
  readonly links?: DocumentLinks;
  /** The page shows an old revision: it does not change any more. */
  readonly old?: { readonly isCurrent: boolean };
  readonly settings: PageSettings;
}

/** The page of a dashboard (page and review 1). */
export function dashboardPage(dashboard: Dashboard, parts: DashboardPageParts): Markup {
  const { source, later, isTimed, refresh } = dashboard;
  const { assets, policy, api, head, links, old, settings } = parts;
  const { tree, errors } = source;
  const { body, css } = renderPicture(source);
  const unplaced = errorsWithoutControl(tree, errors)
    .filter(([address]) => !isTimed || address !== '$time')
    .map(
      ([address, { code, message }]) =>
        html`<div class="fault setting"><span class="code">${code}</span><span><code>${display(address)}</code>: ${message}</span></div>`,
    );
  const whole =
    later.size === 0
      ? ''
      : html`<noscript><p class="banner note">Some items are still being asked for. <a class="under" href="?${settings.whole}">Wait for all of them</a></p></noscript>`;
  const time = isTimed ? timeControls(settings.time, settings.refresh, errors) : '';
  const content = html`${notice()}${oldBanner(parts)}${unplaced}${whole}${settingsForms(tree, parts)}<div class="pagehead">${aboutDocument(tree, head)}${pageTools(links)}</div>${time}
${body}${keysDialog()}`;
  const data = {
    api,
    revision: head.revision,
    page: 'dashboard',
    charts: assets.address('charts.js'),
    refresh: refresh === undefined ? undefined : String(refresh),
  };
  const title = titleOf(tree);
  const { scheme } = settings;
  return shell({
    title,
    bar: old === undefined ? liveState() : '',
    assets,
    policy,
    crumb: tree.manifest.id,
    content,
    css,
    scheme,
    data,
  });
}

/** Above a page at a revision: that it is not the present one, and the ways on. */
function oldBanner({ old, links, head }: DashboardPageParts): Markup | '' {
  const { revision } = head;
  if (old === undefined || links === undefined || revision === undefined) return '';
  const { address } = links;
  const words = old.isCurrent ? 'the current one, without its changes to come' : 'not the current one';
  const compare = old.isCurrent
    ? ''
    : html`<a class="under" href="${address}/compare?from=${revision}">What has changed since</a>`;
  return html`<div class="banner note old"><span>You see revision ${shortRevision(revision)}, ${words}.</span><a class="under" href="${address}">Open the current one</a>${compare}</div>`;
}

/** The forms of the controls: those of controls that repeat others send all that is set besides. */
function settingsForms({ root }: ResolvedTree, { settings, old, head }: DashboardPageParts): Markup {
  const forms = [...repeatedForms(root)].map(([id, addresses]) => {
    const others = settings.parameters.filter(([address]) => !addresses.has(address));
    return html`<form id="${id}" method="get">${others.map(([name, value]) => html`<input type="hidden"${attributes({ name, value })}>`)}</form>`;
  });
  const at = old && html`<input type="hidden" name="at" value="${head.revision}">`;
  return html`<form id="${SETTINGS_FORM}" method="get">${at}</form>${forms}`;
}
