import type { ErrorEnvelope } from '../errors.ts';
import { field } from '../render/controls/index.ts';
import { type IconName, icon } from '../render/icons.ts';
import { html, type Markup } from '../render/markup.ts';
import { titleOf } from '../render/picture.ts';
import type { ResolvedTree } from '../resolve/tree.ts';

/** Letters of a revision that a person reads. */
const SHORT_REVISION = 7;

/** Title, description and revision of a document; on paper the values of its variables, too. */
export function aboutDocument(tree: ResolvedTree, revision: string | undefined): Markup {
  const { description } = tree.manifest;
  const purpose = description === undefined ? '' : html`<p class="sub">${description}</p>`;
  const version =
    revision === undefined
      ? ''
      : html`<p class="sub">Revision <span class="mono">${revision.slice(0, SHORT_REVISION)}</span></p>`;
  const values = Object.values(tree.root.varEnv ?? {}).filter(({ expr }) => expr === undefined);
  const shown = values.map(
    ({ name, value }) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const printed = shown.length === 0 ? '' : html`<p class="sub print-only">${shown.join(', ')}</p>`;
  return html`<div id="about"><h1>${titleOf(tree)}</h1>${purpose}${version}${printed}</div>`;
}

/** What a person may do with the page. */
export function pageTools(): Markup {
  return html`<div class="line js-only"><button class="btn quiet" type="button" data-act="reset" hidden>Reset settings</button>${[
    tool('inspect', 'Inspector', 'inspect'),
    tool('refresh', 'Refresh', 'refresh'),
    tool('copy-link', 'Copy link', 'copy'),
  ]}</div>`;
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
  faults: ReadonlyMap<string, ErrorEnvelope>,
): Markup {
  const control = (address: string, label: string, options: object, value: string | null) => ({
    id: `p-${address.slice(1)}`,
    address,
    label,
    description: undefined,
    disabled: false,
    value,
    config: { options: Object.entries(options).map(([key, text]) => ({ value: key, label: String(text) })) },
    fault: faults.get(address),
    pointer: undefined,
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

/** The list of keys, shown on `?`. */
export function keysDialog(): Markup {
  const rows = KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`);
  return html`<dialog class="dialog" id="keys" aria-labelledby="keys-title"><header><h2 id="keys-title">Keys</h2></header><div class="body"><dl class="facts rows">${rows}</dl></div><footer><form method="dialog"><button class="btn">Close</button></form></footer></dialog>`;
}

/** Whether the page hears of changes; the script of the page keeps it true. */
export function liveState(): Markup {
  return html`<span class="state off js-only" id="live"><svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4"/></svg><span>Connecting</span></span>`;
}
