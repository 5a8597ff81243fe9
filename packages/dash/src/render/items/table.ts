import type { Json } from '../../document/json.ts';
import type { ResolvedNode } from '../../resolve/tree.ts';
import { type RenderContext, textMember } from '../context.ts';
import { type FrameParts, frame } from '../frame.ts';
import { attributes, html, type Markup } from '../markup.ts';
import { emptyBox, emptyReason, errorBox, loadingBox, shownState, staleBadge, staleNote } from '../states.ts';
import { type TableCells, tableCells } from './columns.ts';
import { cellText, type LeafRenderer, pointerEntry, rowsAtHand } from './leaf.ts';

/** Rows on the page; the others are in the CSV file. */
const MOST_ROWS = 1_000;

/** Rows of a connection or of the document, sorted in the browser. */
export const tableItem: LeafRenderer = (node, context) => frame(node, context, partsOf(node, context));

function partsOf(node: ResolvedNode, context: RenderContext): FrameParts {
  const title = textMember(node.config, 'title');
  const data = context.views.get(node.id)?.data;
  if (data?.state === 'error')
    return { state: 'error', title, menu: [pointerEntry(node.id)], body: errorBox(data.error) };
  if (data?.state === 'loading') {
    const body = loadingBox(data.connectionId, 'rows');
    return { state: 'loading', title, menu: [pointerEntry(node.id)], body };
  }
  const address = context.csvAddress(node.id);
  const menu = [html`<a href="${address}" download>Download CSV</a>`, pointerEntry(node.id)];
  const cells = tableCells(node, rowsAtHand(node, context));
  if (cells.rows.length === 0) {
    return { state: 'empty', title, menu: [pointerEntry(node.id)], body: emptyBox(emptyReason(data)) };
  }
  const stale = data?.state === 'stale' ? data : undefined;
  const below = stale === undefined ? '' : staleNote(stale.error);
  const state = node.binding === undefined ? 'ready' : shownState(data);
  const body = html`${tableOf(title ?? node.id, cells)}${moreRows(cells, address)}${below}`;
  return { state, title, menu, badge: stale && staleBadge(stale.ageMs), body };
}

function tableOf(name: string, { columns, rows }: TableCells): Markup {
  const shown = rows.slice(0, MOST_ROWS);
  const width = Math.max(columns.length, ...shown.map(row => row.length));
  const aligns = Array.from({ length: width }, (_, index) => alignOf(columns[index]?.align, shown, index));
  const head =
    columns.length === 0
      ? ''
      : html`<thead><tr>${columns.map(({ header = '' }, index) => html`<th scope="col"${classOf(aligns[index])}>${header}</th>`)}</tr></thead>`;
  const body = shown.map(
    row =>
      html`<tr>${row.map((cell, index) => html`<td${classOf(aligns[index])}>${cellText(cell)}</td>`)}</tr>`,
  );
  return html`<div class="tablewrap" tabindex="0" role="group" aria-label="${name}"><table class="table">${head}<tbody>${body}</tbody></table></div>`;
}

function moreRows({ rows }: TableCells, address: string): Markup | '' {
  if (rows.length <= MOST_ROWS) return '';
  const left = (rows.length - MOST_ROWS).toLocaleString('en-US');
  return html`<p class="small soft">${left} more in the <a href="${address}" download>CSV file</a></p>`;
}

/** What a column says, else the end for numbers. */
function alignOf(
  declared: string | undefined,
  rows: readonly (readonly Json[])[],
  index: number,
): string | undefined {
  if (declared !== undefined && declared !== '') return declared;
  const cells = rows.map(row => row[index] ?? null).filter(cell => cell !== null);
  return cells.length > 0 && cells.every(cell => typeof cell === 'number') ? 'end' : undefined;
}

const CLASSES: Readonly<Record<string, string>> = { end: 'num', center: 'mid' };

const classOf = (align: string | undefined): Markup =>
  attributes({ class: align === undefined ? undefined : CLASSES[align] });
