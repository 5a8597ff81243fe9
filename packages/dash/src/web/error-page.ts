import { display } from '../document/display.ts';
import type { DashError } from '../errors.ts';
import type { OutlineNode } from '../reads/outline.ts';
import { html, type Markup } from '../render/markup.ts';
import type { HistoryEntry } from '../store/contract.ts';
import type { Assets } from './assets.ts';
import { moment, nameOf } from './moments.ts';
import { shortRevision } from './page-head.ts';
import type { PagePolicy } from './policy.ts';
import { shell } from './shell.ts';

/** What is around a dashboard that cannot be shown. */
export interface ErrorPlace {
  readonly id: string;
  /** Address of its page. */
  readonly address: string;
  readonly hasHistory: boolean;
  /** The stored tree, where it can be read. */
  readonly outline?: OutlineNode;
  /** The newest commit whose document resolves. */
  readonly lastGood?: HistoryEntry;
  /** Ids like the one that does not exist. */
  readonly near: readonly string[];
}

/** What an error page is made of. */
export interface ErrorPageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Unix milliseconds. */
  readonly now: number;
  /** Of a page of a dashboard. */
  readonly place?: ErrorPlace;
}

/** Lines of the outline at most. */
const MOST_LINES = 200;
const DEEPEST_INDENT = 8;

/** A failure as a page: the code, the message, the place in the document, all details, and the ways on (page and review 1.2). */
export function errorPage({ code, message, details }: DashError, parts: ErrorPageParts): Markup {
  const { assets, policy, place } = parts;
  const { path } = details;
  const where = typeof path === 'string' ? html`<p class="small">In <code>${path}</code></p>` : '';
  const outline = place?.outline === undefined ? '' : outlineOf(place.outline, placesIn(details));
  const content = html`<div class="stack s5 narrow"><div class="pagehead"><div><h1>This page cannot be shown</h1>${place && html`<p class="sub mono">${display(place.id)}</p>`}</div></div>
<div class="fault" role="alert"><span class="code">${code}</span><p>${message}</p>${where}</div>
${place && waysOn(place, parts.now)}${outline}<details class="small" open><summary>Details</summary><pre class="payload" tabindex="0">${JSON.stringify(details, null, 2)}</pre></details></div>`;
  return shell({
    title: code,
    assets,
    policy,
    crumb: place === undefined ? code : display(place.id),
    own: 'manage',
    content,
  });
}

function waysOn({ address, hasHistory, lastGood, near }: ErrorPlace, now: number): Markup {
  const good =
    lastGood === undefined
      ? ''
      : html`<li><a class="under" href="${address}?at=${lastGood.revision}">Open the last revision that resolves</a>: ${shortRevision(lastGood.revision)}, ${moment(lastGood.timestamp, now)}, by ${nameOf(lastGood.author)}</li>`;
  const history = hasHistory
    ? html`<li><a class="under" href="${address}/history">See its history</a></li>`
    : '';
  const likely = near.map(
    id => html`<li>Open <a class="under mono" href="/d/${encodeURIComponent(id)}">${id}</a></li>`,
  );
  return html`<ul class="ways">${good}${history}${likely}<li><a class="under" href="/">See all dashboards</a></li></ul>`;
}

/** Ids of nodes, and paths, that the details name. */
function placesIn(details: DashError['details']): ReadonlySet<string> {
  const also = Array.isArray(details['also']) ? details['also'] : [];
  const places = [details, ...also.map(error => error?.details)].flatMap(named => [
    named?.nodeId,
    named?.path,
  ]);
  return new Set(places.filter(value => typeof value === 'string'));
}

interface OutlineLine {
  readonly node: OutlineNode;
  readonly depth: number;
  readonly path: string;
}

/** The tree of the document, with the place of the error marked. */
function outlineOf(root: OutlineNode, places: ReadonlySet<string>): Markup {
  const all = [...linesOf(root, 0, 'root')];
  // The mark may stand below the lines that are shown: it comes first then.
  const isMarked = ({ node, path }: OutlineLine): boolean => places.has(node.id) || places.has(path);
  const shown = all.filter((line, index) => index < MOST_LINES || isMarked(line)).slice(0, 2 * MOST_LINES);
  const lines = shown.map(line => {
    const mark = isMarked(line) ? html` <span class="badge bad">here</span>` : '';
    return html`<li class="d${Math.min(line.depth, DEEPEST_INDENT)}"><code>${line.node.id}</code> <span class="mute">${line.node.type}</span>${mark}</li>`;
  });
  const more =
    all.length > shown.length ? html`<p class="small soft">${all.length - shown.length} more nodes</p>` : '';
  return html`<section class="panel outline" aria-labelledby="outline"><header><h2 id="outline">Where it is</h2></header><div class="body"><ul>${lines}</ul>${more}</div></section>`;
}

function* linesOf(node: OutlineNode, depth: number, path: string): Generator<OutlineLine> {
  yield { node, depth, path };
  for (const [index, child] of node.children.entries()) {
    const step = node.container ? `children[${index}]` : 'content';
    yield* linesOf(child, depth + 1, `${path}.${step}`);
  }
}
