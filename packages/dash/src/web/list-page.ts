import { icon } from '../render/icons.ts';
import { html, type Markup } from '../render/markup.ts';
import type { HistoryEntry } from '../store/contract.ts';
import type { Assets } from './assets.ts';
import { moment, nameOf } from './moments.ts';
import { proposalsLink } from './page-head.ts';
import type { PagePolicy } from './policy.ts';
import { shell } from './shell.ts';

/** One dashboard of the list. */
interface ListedDashboard {
  readonly id: string;
  readonly title?: string;
  /** Its newest commit, where the store keeps history. */
  readonly newest?: HistoryEntry;
  /** Names of its open proposals. */
  readonly proposals: readonly string[];
}

export interface ListPageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Unix milliseconds. */
  readonly now: number;
  readonly dashboards: readonly ListedDashboard[];
  /** The store keeps history: each dashboard has a last change. */
  readonly hasHistory: boolean;
  /** Names of open proposals of dashboards that do not exist yet. */
  readonly creations: readonly string[];
  /** Words of the filter. */
  readonly filter: string;
}

/** All dashboards of a store (page and review 1.5). */
export function listPage(parts: ListPageParts): Markup {
  const { assets, policy, dashboards, creations, filter } = parts;
  const empty = html`<div class="panel empty"><p class="strong">No dashboard is stored yet</p><p>An agent proposes one over MCP, or you start from an empty page or a template:</p><p><a class="btn" href="/new">New dashboard</a></p><p>On the command line:</p><p class="cmd"><code>dashdoc create my-dashboard --title "My dashboard"</code></p></div>`;
  const count = dashboards.length === 1 ? '1 dashboard' : `${dashboards.length} dashboards`;
  const proposed = creations.length === 0 ? '' : proposalsLink(creations, 'proposal of a new dashboard');
  const create = html`<a class="btn primary" href="/new">${icon('plus')}<span>New</span></a>`;
  const head = html`<div class="pagehead"><div><h1>Dashboards</h1><p class="sub">${count}</p></div><div class="line">${proposed}${create}</div></div>`;
  const body = dashboards.length === 0 ? empty : html`${filterForm(filter)}${table(parts)}`;
  const content = html`<div class="stack s5">${head}${body}</div>`;
  return shell({ title: 'Dashboards', assets, policy, own: 'manage', content });
}

/** Works without a script, too: the server then hides what does not match. */
function filterForm(filter: string): Markup {
  return html`<form class="filters" method="get" action="/" role="search"><input class="input find" type="search" name="q" value="${filter}" data-filter="dashboards" aria-label="Filter dashboards" placeholder="Filter by title or id" autocomplete="off"><button class="btn no-js" type="submit">Filter</button></form>`;
}

function table({ dashboards, hasHistory, filter, now }: ListPageParts): Markup {
  const words = filter.trim().toLowerCase();
  const rows = dashboards.map(dashboard => {
    const { id, title = id } = dashboard;
    const isShown = `${title} ${id}`.toLowerCase().includes(words);
    return { isShown, row: rowOf(dashboard, isShown, hasHistory, now) };
  });
  const changed = hasHistory ? html`<th scope="col">Last change</th><th scope="col">By</th>` : '';
  const none = rows.some(({ isShown }) => isShown);
  return html`<div class="panel"><div class="tablewrap" tabindex="0" role="group" aria-label="Dashboards"><table class="table cards" id="dashboards"><thead><tr><th scope="col">Title</th><th scope="col">Id</th>${changed}<th scope="col">Review</th></tr></thead><tbody>${rows.map(({ row }) => row)}</tbody></table></div><div class="empty" data-none="dashboards"${none ? html` hidden` : ''}><p class="strong">No dashboard matches</p><p><a class="under" href="/">Clear the filter</a></p></div></div>`;
}

function rowOf(
  { id, title, newest, proposals }: ListedDashboard,
  isShown: boolean,
  hasHistory: boolean,
  now: number,
): Markup {
  const address = `/d/${encodeURIComponent(id)}`;
  const when =
    newest === undefined
      ? html`<span class="mute">not committed lately</span>`
      : html`<a href="${address}/history">${moment(newest.timestamp, now)}</a>`;
  const changed = hasHistory
    ? html`<td data-label="Last change">${when}</td><td data-label="By" class="soft">${newest === undefined ? '' : nameOf(newest.author)}</td>`
    : '';
  const review = proposals.length === 0 ? html`<span class="mute">–</span>` : proposalsLink(proposals);
  return html`<tr${isShown ? '' : html` hidden`}><th scope="row"><a href="${address}">${title ?? id}</a></th><td data-label="Id" class="mono soft">${id}</td>${changed}<td data-label="Review">${review}</td></tr>`;
}
