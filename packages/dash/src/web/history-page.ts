import { icon } from '../render/icons.ts';
import { attributes, html, type Markup } from '../render/markup.ts';
import type { Assets } from './assets.ts';
import { commitRow, type ShownCommit } from './commit-row.ts';
import { deletion } from './deletion.ts';
import { notice, shortRevision } from './page-head.ts';
import type { PagePolicy } from './policy.ts';
import { shell } from './shell.ts';

export interface HistoryPageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Unix milliseconds. */
  readonly now: number;
  readonly id: string;
  readonly title: string;
  /** Kind of the store, for what it keeps. */
  readonly store: string;
  /** The stored state; undefined where the document was deleted or the store names none. */
  readonly current?: string;
  readonly isDeleted: boolean;
  /** The file was edited since the newest commit. */
  readonly isEdited: boolean;
  /** Newest first; undefined for a store without history. */
  readonly commits?: readonly ShownCommit[];
  /** Of the parts of a long history, from 1. */
  readonly part: number;
  readonly hasOlder: boolean;
}

/** What happened to a dashboard, and the ways back (page and review 4). */
export function historyPage(parts: HistoryPageParts): Markup {
  const { assets, policy, id, title, current, isDeleted, commits } = parts;
  const address = `/d/${encodeURIComponent(id)}`;
  const remove =
    current === undefined || isDeleted
      ? ''
      : html`<button class="btn quiet js-only" type="button" data-act="delete">Delete…</button>`;
  const open = isDeleted ? '' : html`<a class="btn" href="${address}">Open dashboard</a>`;
  const head = html`<div class="pagehead"><div><h1>History of ${title}</h1><p class="sub">${subject(parts)}</p></div><div class="line">${remove}${open}</div></div>`;
  const list = commits === undefined ? withoutHistory(parts) : commitList(parts, commits, address);
  const dialog = current === undefined || isDeleted ? '' : deletion({ ...parts, current });
  const content = html`<div class="stack s5 wide">${head}${notice()}${banners(parts, address)}${list}</div>${dialog}`;
  return shell({
    title: `History of ${title}`,
    assets,
    policy,
    crumb: 'History',
    between: isDeleted ? [] : [[address, id]],
    own: 'manage',
    content,
    data: { page: 'history', id, revision: isDeleted ? undefined : current },
  });
}

function subject({ id, current, isDeleted }: HistoryPageParts): Markup {
  const state = current === undefined || isDeleted ? '' : html`, revision ${shortRevision(current)}`;
  return html`<span class="mono">${id}</span>${state}`;
}

function banners({ isDeleted, isEdited, commits = [] }: HistoryPageParts, address: string): Markup | '' {
  if (isDeleted) {
    return html`<div class="banner note"><span>This dashboard was deleted. “Bring back” proposes to create it again as it was.</span></div>`;
  }
  const newest = commits[0]?.revision;
  if (!isEdited || newest === undefined) return '';
  return html`<div class="banner note"><span>The file was edited by hand and not committed yet. The next commit here records the edit as one of its own.</span><a class="under" href="${address}/compare?from=${newest}">What was edited</a></div>`;
}

function withoutHistory({ store, id }: HistoryPageParts): Markup {
  return html`<div class="panel empty"><p class="strong">This store keeps no history</p><p>The <code>${store}</code> store holds the present state of each document alone: a revision is the hash of its bytes, and no older bytes are kept. Only the Undo right after a commit leads back.</p><p>A store in git keeps every commit:</p><p class="cmd"><code>dashdoc serve ${id} --store git --root ./dashboards</code></p></div>`;
}

function commitList(parts: HistoryPageParts, commits: readonly ShownCommit[], address: string): Markup {
  const { part, hasOlder, id, isDeleted, now, current } = parts;
  const rows = commits.map((commit, index) =>
    commitRow(commit, { id, address, now, current, isDeleted, place: index }),
  );
  const compare =
    commits.length < 2
      ? ''
      : html`<button class="btn sm pick" type="submit">${icon('compare')}<span>Compare the chosen two</span></button>`;
  const heads =
    commits.length < 2
      ? ''
      : html`<div class="commit heads" aria-hidden="true"><span class="picks"><span>From</span><span>To</span></span></div>`;
  const newer = part > 1 ? html`<a class="btn sm" rel="prev" href="?part=${part - 1}">Newer</a>` : '';
  const older = hasOlder ? html`<a class="btn sm" rel="next" href="?part=${part + 1}">Older</a>` : '';
  const pager = part > 1 || hasOlder ? html`<footer><span>Part ${part}</span>${newer}${older}</footer>` : '';
  const hint = html`<noscript><p class="small soft">“Restore” needs a script, because this server takes JSON alone. Without one: <code>dashdoc restore ${id} --to &lt;revision&gt;</code></p></noscript>`;
  return html`<form class="panel" method="get" action="${address}/compare"><header><h2>Commits</h2>${compare}</header>${heads}<ol class="commits"${attributes({ 'aria-label': 'Commits, newest first' })}>${rows}</ol>${pager}</form>${hint}`;
}
