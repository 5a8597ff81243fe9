import { textMember } from '../context.ts';
import { frame } from '../frame.ts';
import { html } from '../markup.ts';
import { emptyReason, errorBox, loadingBox, shownState } from '../states.ts';
import { cellText, type LeafRenderer, pointerEntry } from './leaf.ts';

/** A leaf of a schema directory: its title and what its config says (page and review 1.2). */
export const definitionsItem: LeafRenderer = (node, context) => {
  const data = context.views.get(node.id)?.data;
  const title = textMember(node.config, 'title') ?? node.type.name;
  const menu = [pointerEntry(node.id)];
  if (data?.state === 'error')
    return frame(node, context, { state: 'error', title, menu, body: errorBox(data.error) });
  if (data?.state === 'loading') {
    return frame(node, context, {
      state: 'loading',
      title,
      menu,
      body: loadingBox(data.connectionId, 'rows'),
    });
  }
  const members = Object.entries(node.config ?? {}).filter(([name]) => name !== 'title');
  const list = members.map(([name, value]) => html`<dt>${name}</dt><dd>${cellText(value)}</dd>`);
  const reason = emptyReason(data);
  const body = html`<dl class="facts rows">${list}</dl>${reason === undefined ? '' : html`<p class="small soft">${reason}</p>`}`;
  return frame(node, context, {
    state: node.binding === undefined ? 'ready' : shownState(data),
    title,
    menu,
    body,
  });
};
