import type { DataRows, Row } from '../../data/contract.ts';
import { isJsonObject, type Json, ownMember } from '../../document/json.ts';
import type { ResolvedNode } from '../../resolve/tree.ts';
import type { RenderContext } from '../context.ts';
import { html, type Markup } from '../markup.ts';

/** Renders a node that holds no other. */
export type LeafRenderer = (node: ResolvedNode, context: RenderContext) => Markup;

/** Rows that stand in the config of an item, as objects. */
export function ownRows({ config = {} }: ResolvedNode): DataRows | undefined {
  const rows = ownMember(config, 'rows');
  if (!Array.isArray(rows)) return undefined;
  return { columns: [], rows: rows.filter(isJsonObject) as Row[] };
}

/** The rows that an item shows: those of its connection, also old ones, or its own. */
export function rowsAtHand(node: ResolvedNode, context: RenderContext): DataRows | undefined {
  const data = context.views.get(node.id)?.data;
  if (data !== undefined && 'data' in data) return data.data;
  return node.binding === undefined ? ownRows(node) : undefined;
}

/** A member of a config. */
export const memberOf = ({ config }: ResolvedNode, name: string): Json | undefined =>
  config === undefined ? undefined : ownMember(config, name);

/** A cell as text: null is empty, lists and objects are JSON. */
export function cellText(cell: Json | undefined): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

/** Entry of the menu of every item. */
export function pointerEntry(nodeId: string): Markup {
  return html`<button type="button" class="js-only" data-act="copy" data-text="/${nodeId}">Copy pointer</button>`;
}
