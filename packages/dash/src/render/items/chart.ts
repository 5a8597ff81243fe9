import { textMember } from '../context.ts';
import { frame } from '../frame.ts';
import { html, type Markup, trusted } from '../markup.ts';
import { emptyBox, emptyReason, errorBox, loadingBox, shownState, staleBadge, staleNote } from '../states.ts';
import { type LeafRenderer, pointerEntry, rowsAtHand } from './leaf.ts';

/** Rows as a picture, which is drawn before the page is made (dashboard details 5.6). */
export const chartItem: LeafRenderer = (node, context) => {
  const view = context.views.get(node.id);
  const { data } = view ?? {};
  const title = textMember(node.config, 'title');
  const rows = rowsAtHand(node, context);
  const csv = html`<a href="${context.csvAddress(node.id)}" download>Download CSV</a>`;
  const menu = [...(rows === undefined ? [] : [csv]), pointerEntry(node.id)];
  const error = data?.state === 'error' ? data.error : view?.error;
  if (error !== undefined)
    return frame(node, context, { state: 'error', title, menu, body: errorBox(error) });
  if (data?.state === 'loading') {
    const body = loadingBox(data.connectionId, 'picture');
    return frame(node, context, { state: 'loading', title, menu, body });
  }
  if (rows === undefined || rows.rows.length === 0) {
    return frame(node, context, { state: 'empty', title, menu, body: emptyBox(emptyReason(data)) });
  }
  if (view?.drawing === undefined) {
    return frame(node, context, {
      state: 'loading',
      title,
      menu,
      body: html`<div class="loading picture"></div>`,
    });
  }
  const stale = data?.state === 'stale' ? data : undefined;
  const body: Markup = html`<div class="drawing">${trusted(view.drawing)}</div>${stale === undefined ? '' : staleNote(stale.error)}`;
  const state = node.binding === undefined ? 'ready' : shownState(data);
  return frame(node, context, { state, title, menu, badge: stale && staleBadge(stale.ageMs), body });
};
