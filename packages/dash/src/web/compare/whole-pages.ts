import { html, type Markup } from '../../render/markup.ts';
import { renderNodes } from '../../render/picture.ts';
import { themeAttributes } from '../../render/theme.ts';
import type { ResolvedTree } from '../../resolve/tree.ts';
import { leavesOf } from '../dashboard.ts';
import { computedSizes } from '../sizes.ts';
import type { Compared } from './compare.ts';
import { drawSide, type SideParts } from './sides.ts';

/** Both pages as a whole, one beside the other, with the rules of their grids. */
export async function wholePages(
  { painter }: SideParts,
  { trees, rows, problem, formerProblem }: Compared,
): Promise<{ readonly html: Markup; readonly css: string }> {
  const before = await wholePage(painter, 'before', trees.before, rows.before, formerProblem?.message);
  const after = await wholePage(painter, 'after', trees.after, rows.after, problem?.message);
  const isPair = trees.before !== undefined && trees.after !== undefined;
  return {
    html: html`<div class="ba pages${isPair ? ' pair' : ''}">${before.html}${after.html}</div>`,
    css: before.css + after.css,
  };
}

async function wholePage(
  painter: SideParts['painter'],
  side: 'before' | 'after',
  tree: ResolvedTree | undefined,
  rows: Compared['rows']['before'],
  problem: string | undefined,
): Promise<{ readonly html: Markup; readonly css: string }> {
  if (tree === undefined) {
    return { html: html`<div class="ghost ${side}"><p>Not drawn: ${problem}</p></div>`, css: '' };
  }
  const sizes = computedSizes(tree.root);
  const drawn = {
    ids: new Set([...leavesOf(tree.root)].map(({ id }) => id)),
    sizeOf: (id: string) => sizes.get(id) ?? { width: 440, height: 240 },
    reachOf: () => [],
  };
  const { source, nameOf } = await drawSide(painter, side, { tree, errors: new Map() }, rows, drawn);
  const root = nameOf(tree.root.id);
  const { nodes, css } = renderNodes(source, new Set([root]), 3);
  const words = side === 'before' ? 'Before' : 'After';
  return {
    html: html`<figure class="side ${side}"><figcaption>${words}</figcaption><fieldset class="still canvas" disabled aria-label="${words}, the whole page"${themeAttributes(tree.defaultTheme)}><div class="sheet">${nodes.get(root)}</div></fieldset></figure>`,
    css,
  };
}
