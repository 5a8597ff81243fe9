import { display } from '../../document/display.ts';
import { html, type Markup } from '../../render/markup.ts';
import type { Assets } from '../assets.ts';
import { moment } from '../moments.ts';
import type { PagePolicy } from '../policy.ts';
import { shell } from '../shell.ts';

/** One open proposal in the list. */
interface ListedProposal {
  readonly name: string;
  /** Of the document. */
  readonly id: string;
  readonly subject: string;
  readonly proposer?: { readonly name: string; readonly version: string };
  readonly proposedAt: string;
  readonly create: boolean;
}

export interface ProposalsPageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Unix milliseconds. */
  readonly now: number;
  /** Newest first. */
  readonly proposals: readonly ListedProposal[];
}

/** What waits for a decision; also where a link lands that holds its proposal. */
export function proposalsPage({ assets, policy, now, proposals }: ProposalsPageParts): Markup {
  const rows = proposals.map(proposal => proposalRow(proposal, now));
  const table = html`<div class="panel list"><div class="tablewrap" tabindex="0" role="group" aria-label="Open proposals"><table class="table cards" id="proposals"><thead><tr><th scope="col">Change</th><th scope="col">Dashboard</th><th scope="col">Proposed by</th><th scope="col">When</th></tr></thead><tbody>${rows}</tbody></table></div></div>`;
  const empty = html`<div class="panel empty"><p class="strong">No proposal waits for a decision</p><p>An agent hands one over with a link, and it stands here for a day.</p><p class="cmd"><code>dashdoc mcp --review-url http://127.0.0.1:8080</code></p></div>`;
  const count = proposals.length === 0 ? 'none' : `${proposals.length}`;
  const head = html`<div class="pagehead"><div><h1>Open proposals</h1><p class="sub">${count} to decide</p></div></div>`;
  const landing = html`<div id="landing"></div><noscript><p class="banner note">A link that holds its proposal needs a script: it is read in the browser. Proposals that were handed over are listed below.</p></noscript>`;
  const content = html`<div class="landing">${head}${landing}${proposals.length === 0 ? empty : table}</div>`;
  const data = { page: 'proposals' };
  return shell({ title: 'Open proposals', assets, policy, crumb: 'Review', own: 'review', content, data });
}

function proposalRow(
  { name, id, subject, proposer, proposedAt, create }: ListedProposal,
  now: number,
): Markup {
  const who = proposer === undefined ? 'not said' : `${display(proposer.name)} ${display(proposer.version)}`;
  const where = create
    ? html`<span class="mono">${id}</span> <span class="badge">new</span>`
    : html`<a class="mono" href="/d/${encodeURIComponent(id)}">${id}</a>`;
  return html`<tr><th scope="row" class="wrap"><a href="/r/${name}">${subject}</a></th><td data-label="Dashboard">${where}</td><td data-label="Proposed by" class="soft">${who}</td><td data-label="When" class="soft nowrap">${moment(proposedAt, now)}</td></tr>`;
}
