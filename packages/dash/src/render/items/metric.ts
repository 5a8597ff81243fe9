import type { Row } from '../../data/contract.ts';
import type { Json } from '../../document/json.ts';
import { textMember } from '../context.ts';
import { frame } from '../frame.ts';
import { html } from '../markup.ts';
import { emptyReason, faultBox, loadingBox, shownState, staleBadge, staleNote } from '../states.ts';
import { aggregate, figureText } from './figure.ts';
import { type LeafRenderer, memberOf, pointerEntry, rowsAtHand } from './leaf.ts';

/** One figure with its title and unit (dashboard details 5.6). */
export const metricItem: LeafRenderer = (node, context) => {
  const data = context.views.get(node.id)?.data;
  const title = textMember(node.config, 'title');
  const name = title === undefined ? '' : html`<p class="name">${title}</p>`;
  const menu = [pointerEntry(node.id)];
  if (data?.state === 'error') {
    return frame(node, context, { state: 'error', menu, body: html`${name}${faultBox(data.error)}` });
  }
  if (data?.state === 'loading') {
    const body = html`<div class="tile">${name}${loadingBox(data.connectionId, 'figure')}</div>`;
    return frame(node, context, { state: 'loading', menu, body });
  }
  const literal = memberOf(node, 'value');
  const rows = rowsAtHand(node, context)?.rows;
  const value = literal === undefined ? figureOf(node.config ?? {}, rows) : literal;
  const text = figureText(value, textMember(node.config, 'format'), memberOf(node, 'digits'));
  const unit = text === undefined ? undefined : textMember(node.config, 'unit');
  const figure = html`<p class="figure">${text ?? '–'}${unit === undefined ? '' : html`<span class="unit">\u202f${unit}</span>`}</p>`;
  const reason = emptyReason(data);
  const stale = data?.state === 'stale' ? data : undefined;
  return frame(node, context, {
    state: node.binding === undefined ? 'ready' : shownState(data),
    menu,
    badge: stale && staleBadge(stale.ageMs),
    body: html`<div class="tile">${name}${figure}${reason === undefined ? '' : html`<p class="delta">${reason}</p>`}</div>${stale === undefined ? '' : staleNote(stale.error)}`,
  });
};

function figureOf(config: Readonly<Record<string, Json>>, rows: readonly Row[] | undefined): Json {
  if (rows === undefined) return null;
  return aggregate(rows, textMember(config, 'field'), textMember(config, 'aggregate') ?? 'last');
}
