import { defined } from '@msg/foundation/json';
import type { ItemData, TimeWindow } from '../data/contract.ts';
import type { ErrorEnvelope } from '../errors.ts';
import { html, type Markup } from './markup.ts';
import { ageText, windowText } from './words.ts';

/** Values of `data-state` (page and review 1.2). */
export type ShownState = 'ready' | 'loading' | 'empty' | 'error' | 'stale';

/** Faults that a person is told about in other words than the message of the code. */
const REMEDIES: Readonly<Record<string, (details: ErrorEnvelope['details']) => string | undefined>> = {
  SECRET_MISSING: ({ names }) => `Needs secret ${listText(names)} on the server`,
  QUERY_HOST_FORBIDDEN: ({ origin }) =>
    origin === undefined
      ? undefined
      : `Not allowed to ask ${String(origin)}: start with --allow-query ${String(origin)}`,
};

/** An item that failed: the code, a sentence, the whole answer behind "Details", and another try. */
export function errorBox(error: ErrorEnvelope): Markup {
  const words = REMEDIES[error.code]?.(error.details) ?? error.message;
  return html`<div class="fault"><span class="code">${error.code}</span><span>${words}</span><details><summary>Details</summary><pre tabindex="0">${JSON.stringify(error, null, 2)}</pre></details><button class="textbtn js-only" type="button" data-act="retry">Try again</button></div>`;
}

/** Under the last good drawing: why there is no newer one. */
export function staleNote(error: ErrorEnvelope): Markup {
  return html`<p class="small soft">${error.code}: ${error.message} <button class="textbtn js-only" type="button" data-act="retry">Try again</button></p>`;
}

/** The age of a drawing that could not be refreshed. */
export function staleBadge(ageMs: number): Markup {
  return html`<span class="badge warn">${ageText(ageMs)} old</span>`;
}

/** An item without rows: that there are none, and of what. */
export function emptyBox(reason: string | undefined): Markup {
  return html`<div class="none"><p class="strong">No data</p>${reason === undefined ? '' : html`<p class="small soft">${reason}</p>`}</div>`;
}

/** Why an item without rows has none. */
export function emptyReason(data: ItemData | undefined): string | undefined {
  if (data?.state === 'not-asked') {
    return `Not asked yet: this version does not run queries of ${data.connectionType}.`;
  }
  if (data?.state === 'held') return 'Not asked yet: the query of a proposal waits for you.';
  return data?.state === 'empty' && data.window !== undefined ? rowsText(data.window) : undefined;
}

/** The frame of an item whose rows are being asked for; it has the size of what follows. */
export function loadingBox(connectionId: string, shape: 'figure' | 'rows' | 'picture'): Markup {
  const bars = { figure: 1, rows: 5, picture: 0 }[shape];
  return html`<div class="loading ${shape}">${Array.from({ length: bars }, () => html`<span class="skeleton"></span>`)}<p class="waiting small soft">Still waiting for ${connectionId}</p></div>`;
}

/** What `data-state` says about rows. */
export function shownState(data: ItemData | undefined): ShownState {
  return data === undefined || data.state === 'not-asked' || data.state === 'held' ? 'empty' : data.state;
}

const rowsText = (window: TimeWindow): string => `0 rows for ${windowText(window)}.`;

function listText(names: unknown): string {
  return Array.isArray(names) ? names.map(String).join(', ') : '';
}

/** Attributes of a frame by its state. */
export function stateAttributes(state: ShownState) {
  return defined({ 'data-state': state, 'aria-busy': state === 'loading' ? 'true' : undefined });
}
