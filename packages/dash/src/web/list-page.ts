import type { DocumentListing } from '../reads/list.ts';
import { html, type Markup } from '../render/markup.ts';
import type { Assets } from './assets.ts';
import type { PagePolicy } from './policy.ts';
import { shell } from './shell.ts';

/** All dashboards of a store. */
export function listPage(documents: readonly DocumentListing[], assets: Assets, policy: PagePolicy): Markup {
  const rows = documents.map(
    ({ id, title }) =>
      html`<tr><th scope="row"><a href="/d/${encodeURIComponent(id)}">${title ?? id}</a></th><td class="mono soft">${id}</td></tr>`,
  );
  const filter = html`<div class="filters js-only"><input class="input" type="search" data-filter="dashboards" aria-label="Filter dashboards" placeholder="Filter by title or id"></div>`;
  const table = html`<div class="panel"><div class="tablewrap" tabindex="0" role="group" aria-label="Dashboards"><table class="table" id="dashboards"><thead><tr><th scope="col">Title</th><th scope="col">Id</th></tr></thead><tbody>${rows}</tbody></table></div></div>`;
  const empty = html`<div class="panel empty"><p class="strong">No dashboard is stored yet</p><p>An agent proposes one over MCP, or you start from a file:</p><p class="cmd"><code>dashdoc create my-dashboard --title "My dashboard"</code></p></div>`;
  const head = html`<div class="pagehead"><div><h1>Dashboards</h1><p class="sub">${documents.length} stored</p></div></div>`;
  const content = html`<div class="stack s5">${head}${documents.length === 0 ? empty : html`${filter}${table}`}</div>`;
  return shell({ title: 'Dashboards', assets, policy, content });
}
