import { defined } from '@msg/foundation/json';
import type { ResolvedNode } from '../resolve/tree.ts';
import { type RenderContext, textMember } from './context.ts';
import { icon } from './icons.ts';
import { attributes, type Content, html, type Markup } from './markup.ts';
import { type ShownState, stateAttributes } from './states.ts';

export interface FrameParts {
  readonly state?: ShownState;
  /** Shown as a heading above the body; of a metric the title stands in its tile. */
  readonly title?: string | undefined;
  /** Behind the title: the age of a stale drawing. */
  readonly badge?: Content;
  /** Entries of the menu of the item. */
  readonly menu?: readonly Content[];
  readonly body: Content;
}

/** The frame of an item that holds no other: its state, title and menu. */
export function frame(node: ResolvedNode, context: RenderContext, parts: FrameParts): Markup {
  const { state = 'ready', title, badge, menu = [], body } = parts;
  const named = textMember(node.config, 'title') ?? textMember(node.config, 'label');
  const open = attributes({
    class: `item t-${node.type.name}`,
    id: `n-${node.id}`,
    'data-node': node.id,
    'data-leaf': true,
    ...stateAttributes(state),
    ...defined({ role: title === undefined ? undefined : 'group', 'aria-label': title }),
  });
  const tools = badge === undefined && menu.length === 0 ? '' : toolsOf(named ?? node.id, badge, menu);
  const head =
    title === undefined ? '' : html`<header class="ihead">${heading(context.level, title)}</header>`;
  return html`<div${open}>${head}${tools}<div class="ibody">${body}</div></div>`;
}

/** A heading of a level from 2 to 6. */
export function heading(level: number, text: string, className = 'ititle'): Markup {
  const shown = Math.min(level, 6);
  if (shown <= 2) return html`<h2 class="${className}">${text}</h2>`;
  if (shown === 3) return html`<h3 class="${className}">${text}</h3>`;
  if (shown === 4) return html`<h4 class="${className}">${text}</h4>`;
  return shown === 5
    ? html`<h5 class="${className}">${text}</h5>`
    : html`<h6 class="${className}">${text}</h6>`;
}

function toolsOf(name: string, badge: Content, menu: readonly Content[]): Markup {
  const entries = menu.map(entry => html`<li>${entry}</li>`);
  const more =
    menu.length === 0
      ? ''
      : html`<details class="more"><summary aria-label="${name}: more" class="btn quiet only sm">${icon('more')}</summary><ul class="menu">${entries}</ul></details>`;
  return html`<div class="tools">${badge}${more}</div>`;
}
