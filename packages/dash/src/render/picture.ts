import type { JsonObject } from '../document/json.ts';
import type { ResolvedNode } from '../resolve/tree.ts';
import {
  contextInBlock,
  contextWithin,
  type PictureSource,
  type RenderContext,
  textMember,
} from './context.ts';
import { repeatedControls } from './controls/addresses.ts';
import { html, type Markup } from './markup.ts';
import { renderNode } from './node.ts';
import { StyleRules } from './style-rules.ts';
import { themeAttributes } from './theme.ts';

/** A document as HTML, with the rules that its grids need. */
export interface Picture {
  readonly body: Markup;
  readonly css: string;
}

/** The whole document. Pure: equal trees, rows and drawings give equal bytes. */
export function renderPicture(source: PictureSource): Picture {
  const context = topContext(source);
  const { tree } = source;
  const inner = renderNode(tree.root, context);
  const body = html`<div class="canvas" id="canvas"${themeAttributes(tree.defaultTheme)}><div class="sheet">${inner}</div></div>`;
  return { body, css: context.styles.text };
}

/** Each of the nodes that hold no other, alone: what is sent when only some of a page changes. */
export function renderItems(source: PictureSource, ids: ReadonlySet<string>): Map<string, Markup> {
  const items = new Map<string, Markup>();
  const isAsked = (id: string, holds: boolean): boolean => !holds && ids.has(id);
  collect(source.tree.root, topContext(source), isAsked, items);
  return items;
}

/**
 * Nodes of any role, each alone with everything in it: the sides of a comparison.
 * @param level of the first heading, 2 to 6.
 */
export function renderNodes(
  source: PictureSource,
  ids: ReadonlySet<string>,
  level: number,
): { readonly nodes: ReadonlyMap<string, Markup>; readonly css: string } {
  const context = { ...topContext(source), level };
  const nodes = new Map<string, Markup>();
  collect(source.tree.root, context, id => ids.has(id), nodes);
  return { nodes, css: context.styles.text };
}

/** Where the rendering of a document begins. */
export function topContext(source: PictureSource): RenderContext {
  return {
    ...source,
    styles: new StyleRules(),
    level: 2,
    isTitled: false,
    forms: repeatedControls(source.tree.root),
    variables: source.tree.root.varEnv ?? {},
  };
}

function collect(
  node: ResolvedNode,
  around: RenderContext,
  isAsked: (id: string, holds: boolean) => boolean,
  items: Map<string, Markup>,
): void {
  const context = contextWithin(around, node);
  const holds = node.role === 'region' || node.role === 'wrapper';
  if (isAsked(node.id, holds)) items.set(node.id, renderNode(node, context));
  const inside =
    node.role === 'wrapper' ? contextInBlock(context, textMember(node.config, 'title')) : context;
  for (const child of node.children ?? []) collect(child, inside, isAsked, items);
}

/** Title of a document for its page. */
export function titleOf({ manifest }: PictureSource['tree']): string {
  return textMember(manifest as unknown as JsonObject, 'title') ?? manifest.id;
}
