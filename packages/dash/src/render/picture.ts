import type { JsonObject } from '../document/json.ts';
import { type PictureSource, type RenderContext, textMember } from './context.ts';
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

function topContext(source: PictureSource): RenderContext {
  return {
    ...source,
    styles: new StyleRules(),
    level: 2,
    inBlock: false,
    variables: source.tree.root.varEnv ?? {},
  };
}

/** Title of a document for its page. */
export function titleOf({ manifest }: PictureSource['tree']): string {
  return textMember(manifest as unknown as JsonObject, 'title') ?? manifest.id;
}
