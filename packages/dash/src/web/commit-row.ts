import { attributes, html, type Markup } from '../render/markup.ts';
import type { HistoryEntry } from '../store/contract.ts';
import { moment, nameOf } from './moments.ts';
import { shortRevision } from './page-head.ts';

/** A commit as the history shows it. */
export interface ShownCommit extends HistoryEntry {
  /** What it changed; absent for the first one, a deletion and a state that cannot be read. */
  readonly words?: readonly string[];
  readonly gone?: true;
  /** The commit that made the document. */
  readonly isFirst: boolean;
  /** What this service wrote below the message. */
  readonly trailers: ReadonlyMap<string, string>;
}

/** Where a commit stands. */
export interface CommitPlace {
  readonly id: string;
  readonly address: string;
  /** Unix milliseconds. */
  readonly now: number;
  readonly current: string | undefined;
  readonly isDeleted: boolean;
  /** From 0, the newest. */
  readonly place: number;
}

/** Sentences of one commit that are shown at once. */
const MOST_WORDS = 6;

/** One commit: its words, who made it and when, and what can be done with it. */
export function commitRow(
  commit: ShownCommit,
  { address, now, current, isDeleted, place }: CommitPlace,
): Markup {
  const { revision, timestamp, author } = commit;
  const isCurrent = revision === current;
  const short = shortRevision(revision);
  const when = moment(timestamp, now);
  const badge = isCurrent ? html` <span class="badge ok">current</span>` : '';
  const about = html`<p class="small mute"><span title="${author}">${nameOf(author)}</span>, ${when}, ${short}${badge}${trailerText(commit)}</p>`;
  return html`<li class="commit">${pickers(commit, place)}<div class="grow">${wordsOf(commit)}${about}</div>${actions(commit, { address, isCurrent, isDeleted, short: revision.slice(0, 7) })}</li>`;
}

function wordsOf(commit: ShownCommit): Markup {
  const { words = [] } = commit;
  const [subject = ''] = commit.message.split('\n');
  if (words.length === 0) return html`<p class="strong wrap">${commit.isFirst ? 'Created' : subject}</p>`;
  const [first = '', ...others] = words;
  const shown = others.slice(0, MOST_WORDS - 1).map(text => html`<li>${text}</li>`);
  const rest = others.slice(MOST_WORDS - 1).map(text => html`<li>${text}</li>`);
  const more =
    rest.length === 0
      ? ''
      : html`<details class="small"><summary>${rest.length} more</summary><ul class="words">${rest}</ul></details>`;
  const list = shown.length === 0 ? '' : html`<ul class="words">${shown}</ul>`;
  const message = isOwnSubject(subject, first) ? html`<p class="small soft wrap">“${subject}”</p>` : '';
  return html`<p class="strong wrap">${first}</p>${list}${more}${message}`;
}

/** A person wrote the subject: it is not the first sentence, nor what a save says by itself. */
function isOwnSubject(subject: string, words: string): boolean {
  return !subject.startsWith(words.slice(0, 100)) && !/^Save dashboard /.test(subject);
}

const TRAILERS: readonly (readonly [string, string])[] = [
  ['Dash-Proposed-By', 'proposed by'],
  ['Dash-Proposal', 'proposal'],
  ['Dash-Committed-By', 'committed by'],
];

function trailerText({ trailers }: ShownCommit): Markup[] {
  return TRAILERS.flatMap(([name, words]) => {
    const value = trailers.get(name);
    return value === undefined ? [] : [html`, ${words} <span class="soft">${value}</span>`];
  });
}

/** Two columns of radio buttons choose what is compared: without a script, too. */
function pickers({ revision, gone }: ShownCommit, place: number): Markup {
  if (gone === true) return html`<span class="picks"></span>`;
  const pick = (name: string, isChosen: boolean): Markup => {
    const label = `${name === 'from' ? 'From' : 'To'}: ${revision.slice(0, 7)}`;
    const set = attributes({
      type: 'radio',
      name,
      value: revision,
      checked: isChosen,
      'aria-label': label,
      title: label,
    });
    return html`<label class="pickone"><input${set}></label>`;
  };
  return html`<span class="picks">${pick('from', place === 1)}${pick('to', place === 0)}</span>`;
}

interface ActionPlace {
  readonly address: string;
  readonly isCurrent: boolean;
  readonly isDeleted: boolean;
  readonly short: string;
}

function actions(
  { revision, gone }: ShownCommit,
  { address, isCurrent, isDeleted, short }: ActionPlace,
): Markup {
  if (gone === true) return html`<div class="line acts"></div>`;
  const view = html`<a class="btn quiet sm" href="${address}?at=${revision}" aria-label="View ${short}">View</a>`;
  const compare =
    isCurrent || isDeleted
      ? ''
      : html`<a class="btn quiet sm" href="${address}/compare?from=${revision}" aria-label="Compare ${short} with the current one">Compare</a>`;
  const words = isDeleted ? 'Bring back' : 'Restore';
  const restore = isCurrent
    ? ''
    : html`<button class="btn quiet sm js-only" type="button" data-act="restore" data-revision="${revision}" aria-label="${words} ${short}">${words}</button>`;
  return html`<div class="line acts">${view}${compare}${restore}</div>`;
}
