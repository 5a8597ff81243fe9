import type { ErrorEnvelope } from '../errors.ts';
import { SETTINGS_FORM } from '../render/controls/addresses.ts';
import { field } from '../render/controls/index.ts';
import { type IconName, icon } from '../render/icons.ts';
import { html, type Markup } from '../render/markup.ts';
import { titleOf } from '../render/picture.ts';
import type { ResolvedTree } from '../resolve/tree.ts';
import type { HistoryEntry } from '../store/contract.ts';
import { isExternal } from '../store/revision.ts';
import { moment, nameOf } from './moments.ts';

/** Letters of a revision that a person reads. */
const SHORT_REVISION = 7;

/** What stands at the head of a page besides the title of the document. */
export interface DocumentHead {
  readonly revision?: string;
  /** The commit of the revision, where the store keeps history. */
  readonly commit?: HistoryEntry;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Where the other pages of a document are. */
export interface DocumentLinks {
  /** Address of its page. */
  readonly address: string;
  /** Names of its open proposals. */
  readonly proposals: readonly string[];
}

/** Title, description and revision of a document; on paper the values of its variables, too. */
export function aboutDocument(tree: ResolvedTree, head: DocumentHead): Markup {
  const { description } = tree.manifest;
  const purpose = description === undefined ? '' : html`<p class="sub">${description}</p>`;
  const values = Object.values(tree.root.varEnv ?? {}).filter(({ expr }) => expr === undefined);
  const shown = values.map(
    ({ name, value }) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const printed = shown.length === 0 ? '' : html`<p class="sub print-only">${shown.join(', ')}</p>`;
  return html`<div id="about"><h1>${titleOf(tree)}</h1>${purpose}${versionOf(head)}${printed}</div>`;
}

function versionOf({ revision, commit, now }: DocumentHead): Markup | '' {
  if (revision === undefined) return '';
  if (commit === undefined) {
    const edited = isExternal(revision) ? 'Edited by hand, not committed yet. ' : '';
    return html`<p class="sub">${edited}Revision ${shortRevision(revision)}</p>`;
  }
  const { author, timestamp } = commit;
  return html`<p class="sub">Committed ${moment(timestamp, now)} by ${nameOf(author)}. Revision ${shortRevision(revision)}</p>`;
}

/** The start of a revision; the whole of it is its title. */
export function shortRevision(revision: string): Markup {
  return html`<span class="mono" title="${revision}">${revision.slice(0, SHORT_REVISION)}</span>`;
}

/** The way to open proposals: to the one, or to the list of several. */
export function proposalsLink(names: readonly string[], noun = 'open proposal'): Markup {
  const [only] = names;
  const address = names.length === 1 ? `/r/${only}` : '/review';
  const words = names.length === 1 ? `1 ${noun}` : `${names.length} ${noun.replace(/proposal/, 'proposals')}`;
  return html`<a class="btn sm" href="${address}">${icon('compare')}<span>${words}</span></a>`;
}

/** The ways to the other pages of a document. */
function pageLinks({ address, proposals }: DocumentLinks): Markup {
  const open = proposals.length === 0 ? '' : proposalsLink(proposals);
  return html`${open}<a class="btn quiet only" href="${address}/history" aria-label="History" title="History">${icon('history')}</a>`;
}

/** Where a page says what went wrong, and what a screen reader is told. */
export function notice(): Markup {
  return html`<div class="fault" id="notice" role="alert" hidden><span class="code"></span><span></span></div><p class="sr" id="said" role="status"></p>`;
}

/** What a person may do with the page. */
export function pageTools(links: DocumentLinks | undefined): Markup {
  const others = links === undefined ? '' : pageLinks(links);
  return html`<div class="line">${others}<div class="line js-only"><button class="btn quiet" type="button" data-act="reset" hidden>Reset settings</button>${[
    tool('inspect', 'Inspector', 'inspect'),
    tool('refresh', 'Refresh', 'refresh'),
    tool('copy-link', 'Copy link', 'copy'),
  ]}</div></div>`;
}

function tool(act: string, label: string, picture: IconName): Markup {
  return html`<button class="btn quiet only" type="button" data-act="${act}" aria-label="${label}" title="${label}">${icon(picture)}</button>`;
}

const SPANS = { '1h': '1 h', '6h': '6 h', '24h': '24 h', '7d': '7 d' };
const REFRESHES = { '': 'off', '10s': '10 s', '30s': '30 s', '1m': '1 min', '5m': '5 min' };

/** Span of time and interval of the page, where some connection is asked about a span of time. */
export function timeControls(
  time: string | undefined,
  refresh: string | undefined,
  errors: ReadonlyMap<string, ErrorEnvelope>,
): Markup {
  const control = (address: string, label: string, options: object, value: string | null) => ({
    id: `p-${address.slice(1)}`,
    address,
    label,
    description: undefined,
    disabled: false,
    value,
    config: { options: Object.entries(options).map(([key, text]) => ({ value: key, label: String(text) })) },
    error: errors.get(address),
    pointer: undefined,
    form: SETTINGS_FORM,
    type: 'enum',
  });
  return html`<div class="vars time">${field('segmented', control('$time', 'Time', SPANS, time ?? null))}${field('select', control('$refresh', 'Refresh', REFRESHES, refresh ?? ''))}</div>`;
}

const KEYS = [
  ['/', 'first text field'],
  ['r', 'refresh now'],
  ['i', 'inspector'],
  ['?', 'this list'],
  ['Esc', 'close what is open'],
] as const;

/** A list of keys, shown on `?`. @param keys those of a dashboard by default. */
export function keysDialog(keys: readonly (readonly [string, string])[] = KEYS): Markup {
  const rows = keys.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`);
  return html`<dialog class="dialog" id="keys" aria-labelledby="keys-title"><header><h2 id="keys-title">Keys</h2></header><div class="body"><dl class="facts rows">${rows}</dl></div><footer><form method="dialog"><button class="btn">Close</button></form></footer></dialog>`;
}

/** Whether the page hears of changes; the script of the page keeps it true. */
export function liveState(): Markup {
  return html`<span class="state off js-only" id="live"><svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4"/></svg><span>Connecting</span></span>`;
}
