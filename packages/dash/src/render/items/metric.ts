import type { Row } from '../../data/contract.ts';
import type { Json } from '../../document/json.ts';
import type { ResolvedNode } from '../../resolve/tree.ts';
import { textMember } from '../context.ts';
import { frame } from '../frame.ts';
import { attributes, html } from '../markup.ts';
import { emptyReason, errorBox, loadingBox, shownState, staleBadge, staleNote } from '../states.ts';
import { thresholdsOf, toneAt, toneState } from '../tones.ts';
import { aggregate, figureText } from './figure.ts';
import { type LeafRenderer, memberOf, pointerEntry, rowsAtHand } from './leaf.ts';

/** One figure with its title and unit (dashboard details 5.6). */
export const metricItem: LeafRenderer = (node, context) => {
  const data = context.views.get(node.id)?.data;
  const title = textMember(node.config, 'title');
  const name = title === undefined ? '' : html`<p class="name">${title}</p>`;
  const menu = [pointerEntry(node.id)];
  if (data?.state === 'error') {
    return frame(node, context, { state: 'error', menu, body: html`${name}${errorBox(data.error)}` });
  }
  if (data?.state === 'loading') {
    const body = html`<div class="tile">${name}${loadingBox(data.connectionId, 'figure')}</div>`;
    return frame(node, context, { state: 'loading', menu, body });
  }
  const value = metricValue(node, rowsAtHand(node, context)?.rows);
  const text = figureText(value, textMember(node.config, 'format'), memberOf(node, 'digits'));
  const unit = text === undefined ? undefined : textMember(node.config, 'unit');
  const tone = typeof value === 'number' ? toneAt(thresholdsOf(node.config), value) : undefined;
  const state = tone === undefined ? undefined : toneState(tone);
  const figure = html`<p class="figure"${attributes({ 'data-tone': tone })}>${text ?? '–'}${unit === undefined ? '' : html`<span class="unit">\u202f${unit}</span>`}</p>${state === undefined ? '' : html`<p class="delta">${state}</p>`}`;
  const reason = emptyReason(data);
  const stale = data?.state === 'stale' ? data : undefined;
  return frame(node, context, {
    state: node.binding === undefined ? 'ready' : shownState(data),
    menu,
    badge: stale && staleBadge(stale.ageMs),
    body: html`<div class="tile">${name}${figure}${reason === undefined ? '' : html`<p class="delta">${reason}</p>`}</div>${stale === undefined ? '' : staleNote(stale.error)}`,
  });
};

/** The value of a metric: its own, else the aggregate of its rows. */
export function metricValue(node: ResolvedNode, rows: readonly Row[] | undefined): Json {
  const literal = memberOf(node, 'value');
  return literal === undefined ? figureOf(node.config ?? {}, rows) : literal;
}

function figureOf(config: Readonly<Record<string, Json>>, rows: readonly Row[] | undefined): Json {
  if (rows === undefined) return null;
  return aggregate(rows, textMember(config, 'field'), textMember(config, 'aggregate') ?? 'last');
}
