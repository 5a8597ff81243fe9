import type { ResolvedNode } from '../resolve/tree.ts';
import { contextInBlock, contextWithin, type RenderContext, textMember } from './context.ts';
import { applyButton } from './controls/index.ts';
import { heading } from './frame.ts';
import { memberOf } from './items/leaf.ts';
import { leafRenderer } from './items/leaves.ts';
import { widgetItem } from './items/widget.ts';
import { declaredRows, gridClass, placedChildren } from './layout.ts';
import { type Attributes, attributes, html, type Markup } from './markup.ts';
import { themeAttributes } from './theme.ts';

/** A node with everything in it, by its role: a type of a schema directory is rendered like a built-in one. */
export function renderNode(node: ResolvedNode, around: RenderContext, cell = ''): Markup {
  const context = contextWithin(around, node);
  if (node.role === 'region') return renderRegion(node, context, cell);
  if (node.role === 'wrapper') return renderBlock(node, context, cell);
  const item =
    node.role === 'widget' ? widgetItem(node, context) : leafRenderer(node.type.name)(node, context);
  return cell === '' ? item : html`<div class="${cell}">${item}</div>`;
}

/** A region: a grid, a flow of columns, or a row or column of controls. */
function renderRegion(node: ResolvedNode, context: RenderContext, cell: string): Markup {
  const children = node.children ?? [];
  const holdsControls = children.some(({ role }) => role === 'widget');
  const apply = holdsControls ? applyButton() : '';
  if (node.layout !== undefined) {
    const grid = gridClass(node.layout, declaredRows(node), context.styles);
    const placed = placedChildren(children, node.layout, context.styles);
    const inner = placed.map(({ child, cell: place }) => renderNode(child, context, place));
    return html`<div${named(node, `grid ${grid}`, cell)}>${inner}${apply}</div>`;
  }
  const inner = children.map(child => renderNode(child, context));
  if (node.flow !== undefined) {
    const columns = context.styles.wide(`grid-template-columns:repeat(${node.flow.columns},minmax(0,1fr))`);
    return html`<div${named(node, `flow ${columns}`, cell)}>${inner}${apply}</div>`;
  }
  const inline = memberOf(node, 'arrangement') === 'inline';
  return html`<div${named(node, inline ? 'vars' : 'fields', cell)}>${inner}${apply}</div>`;
}

/** A wrapper: a panel with its title and the one node that it holds. */
function renderBlock(node: ResolvedNode, context: RenderContext, cell: string): Markup {
  const title = textMember(node.config, 'title');
  const inside = contextInBlock(context, title);
  const head = title === undefined ? '' : html`<header>${heading(context.level, title, 'btitle')}</header>`;
  const inner = (node.children ?? []).map(child => renderNode(child, inside));
  const tone = textMember(node.config, 'tone');
  const more = {
    hidden: memberOf(node, 'visibility') === false,
    'data-frame': tone,
  };
  const open = named(node, 'panel', cell, more);
  return html`<section${open}${themeAttributes(memberOf(node, 'theme'))}>${head}<div class="body">${inner}</div></section>`;
}

/** Attributes of a node that holds others. */
function named(node: ResolvedNode, className: string, cell: string, more: Attributes = {}): Markup {
  const classes = cell === '' ? className : `${className} ${cell}`;
  return attributes({
    class: classes,
    id: `n-${node.id}`,
    'data-node': node.id,
    'data-type': node.type.name,
    ...more,
  });
}
