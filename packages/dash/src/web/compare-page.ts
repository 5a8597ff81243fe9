import { html, type Markup } from '../render/markup.ts';
import type { HistoryEntry } from '../store/contract.ts';
import type { Assets } from './assets.ts';
import type { Compared } from './compare/compare.ts';
import { viewOf } from './compare/view.ts';
import { viewSwitch } from './compare/view-switch.ts';
import { moment, nameOf } from './moments.ts';
import { shortRevision } from './page-head.ts';
import type { PagePolicy } from './policy.ts';
import { shell } from './shell.ts';

/** One of the two states that are compared. */
export interface ComparedState {
  readonly revision?: string;
  /** Its commit, where it has one. */
  readonly commit?: HistoryEntry;
  /** It is what is stored now. */
  readonly isCurrent: boolean;
}

export interface ComparePageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Unix milliseconds. */
  readonly now: number;
  readonly id: string;
  readonly title: string;
  readonly from: ComparedState;
  readonly to: ComparedState;
  readonly compared: Compared;
  /** Both pages as a whole, when they were asked for. */
  readonly whole?: { readonly html: Markup; readonly css: string };
}

/** Two states of a dashboard, in words and item by item, as a review shows them (page and review 4). */
export function comparePage(parts: ComparePageParts): Markup {
  const { assets, policy, id, title, from, to, compared, whole } = parts;
  const address = `/d/${encodeURIComponent(id)}`;
  const view = viewOf(compared);
  const head = html`<div><p class="small mute">Two states of <a class="under" href="${address}">${title}</a></p><h1 class="wrap">Compare</h1></div>${facts(parts, address)}`;
  const words = html`<section aria-labelledby="words-name"><h2 id="words-name" class="lh">${view.counts}</h2>${view.words}</section>`;
  const ways = html`<div class="line"><a class="btn" href="${address}/compare?${sides(to, from)}">Swap sides</a><a class="btn" href="${address}/history">Choose others</a></div>`;
  const left = html`<div class="left"><div class="stack s5">${head}${words}${ways}</div></div>`;
  const same = `${address}/compare?${sides(from, to)}`;
  const other =
    whole === undefined
      ? { address: `${same}&$view=page`, words: 'Whole page' }
      : { address: same, words: 'Items' };
  const shown = whole?.html ?? view.items;
  const content = html`<div class="rev">${left}<div class="right stack">${problems(compared)}${viewSwitch(other)}${shown}</div></div><p class="sr" id="said" role="status"></p>`;
  return shell({
    title: `Compare ${title}`,
    assets,
    policy,
    crumb: 'Compare',
    between: [
      [address, id],
      [`${address}/history`, 'History'],
    ],
    own: 'review',
    content,
    css: whole?.css ?? view.css,
    data: { page: 'compare' },
  });
}

/** Query of a comparison; the stored state has no name in it. */
function sides(from: ComparedState, to: ComparedState): string {
  const named = Object.entries({ from, to }).filter(([name, state]) => name === 'from' || !state.isCurrent);
  return new URLSearchParams(named.map(([name, { revision = '' }]) => [name, revision])).toString();
}

function facts({ from, to, now }: ComparePageParts, address: string): Markup {
  const state = ({ revision, commit, isCurrent }: ComparedState): Markup => {
    const link = isCurrent || revision === undefined ? address : `${address}?at=${revision}`;
    const name = revision === undefined ? 'the stored document' : shortRevision(revision);
    const who = commit && html`, ${moment(commit.timestamp, now)} by ${nameOf(commit.author)}`;
    return html`<a href="${link}">${name}</a>${who}${isCurrent ? html` <span class="badge ok">current</span>` : ''}`;
  };
  return html`<dl class="facts rows"><dt>Before</dt><dd>${state(from)}</dd><dt>After</dt><dd>${state(to)}</dd></dl>`;
}

/** A state that does not resolve today is compared in words alone. */
function problems({ problem, formerProblem }: Compared): Markup[] {
  const sides = { before: formerProblem, after: problem };
  return Object.entries(sides).flatMap(([side, error]) =>
    error === undefined
      ? []
      : [
          html`<div class="fault"><span class="code">${error.code}</span><span>The state ${side} does not resolve: ${error.message}</span></div>`,
        ],
  );
}
