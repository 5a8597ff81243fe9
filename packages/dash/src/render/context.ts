import type { ItemData } from '../data/contract.ts';
import type { Json, JsonObject } from '../document/json.ts';
import type { ErrorEnvelope } from '../errors.ts';
import type { ResolvedNode, ResolvedTree, VisibleVariable } from '../resolve/tree.ts';
import type { StyleRules } from './style-rules.ts';

/** What is known about one item besides its node: its rows, and for a chart the finished drawing. */
export interface ItemView {
  readonly data?: ItemData;
  /** HTML of the drawing; absent while it is being made. */
  readonly drawing?: string;
  /** The drawing failed. */
  readonly error?: ErrorEnvelope;
}

/** Everything that the picture of a document is made of. */
export interface PictureSource {
  readonly tree: ResolvedTree;
  readonly views: ReadonlyMap<string, ItemView>;
  /** What is wrong with the settings, by override address. */
  readonly errors: ReadonlyMap<string, ErrorEnvelope>;
  /**
   * Pictures of elsewhere are not asked for: a frame with the address stands in the place of each. `all`: those of the
   * server neither, because a file has no server.
   */
  readonly framesPictures?: true | 'all';
  /** Nothing is operated and nothing is sent: the name of each control is its own, since the same one may stand beside it. */
  readonly isStill?: true;
  /** Address of the rows of an item as CSV. */
  csvAddress(nodeId: string): string;
}

/** Where a node is rendered: what it inherits from the nodes around it. */
export interface RenderContext extends PictureSource {
  readonly styles: StyleRules;
  /** Level of the next heading, 2 to 6. */
  readonly level: number;
  /** True below the title of a block. */
  readonly isTitled: boolean;
  /** Forms of controls that repeat the address of another one, by control id. */
  readonly forms: ReadonlyMap<string, string>;
  /** Variables visible at the node. */
  readonly variables: Readonly<Record<string, VisibleVariable>>;
}

/** The context of a node's children: its own declarations come first. */
export function contextWithin(context: RenderContext, node: ResolvedNode): RenderContext {
  return node.varEnv === undefined ? context : { ...context, variables: node.varEnv };
}

/** The context inside a block: below its title, if it has one, headings are one level deeper. */
export function contextInBlock(context: RenderContext, title: string | undefined): RenderContext {
  return title === undefined ? context : { ...context, level: context.level + 1, isTitled: true };
}

/** A text member of a config; undefined for anything else and for an empty text. */
export function textMember(config: JsonObject | undefined, member: string): string | undefined {
  const value: Json | undefined =
    config !== undefined && Object.hasOwn(config, member) ? config[member] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
