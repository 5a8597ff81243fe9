import { defined } from '@msg/foundation/json';
import { labelOf } from '../../changeset/node-words.ts';
import { type Sentence, wordsBetween } from '../../changeset/words.ts';
import type { ItemData } from '../../data/contract.ts';
import { escapeControls } from '../../document/display.ts';
import type { JsonObject } from '../../document/json.ts';
import type { ErrorEnvelope } from '../../errors.ts';
import { type Override, overriddenQueries } from '../../resolve/overrides.ts';
import type { ResolvedTree } from '../../resolve/tree.ts';
import { leavesOf } from '../dashboard.ts';
import { type ChangedGrid, consequencesOf, usersOf } from './affected.ts';
import { type DrawnItems, drawItems } from './drawn-items.ts';
import { askBoth, type ResolvedSide, resolveSide, type SideParts, type SideRows } from './sides.ts';
import {
  affectedItem,
  type ComparedDocuments,
  type ComparedItem,
  compareNodes,
  itemOfError,
  touchedItems,
} from './touched.ts';
import { errorVerdict, type Verdict, verdictsOf } from './verdicts.ts';

/** Two states of a document that are to be looked at side by side. */
export interface CompareRequest {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Settings of both sides. */
  readonly overrides?: readonly Override[];
  /** Queries that only the side after asks and that wait for a person: all, or those whose kind says so. */
  readonly held?: 'all' | 'some';
}

/** A query that waits for a person. */
interface HeldQuery {
  readonly nodeId: string;
  readonly connectionType: string;
  readonly query: JsonObject | undefined;
}

/** Everything that a person is shown about two states of a document (review details 3.3). */
export interface Compared {
  readonly documents: ComparedDocuments;
  readonly words: readonly Sentence[];
  /** Touched items in document order, then those that are affected without being touched. */
  readonly items: readonly ComparedItem[];
  readonly grids: readonly ChangedGrid[];
  readonly verdicts: ReadonlyMap<string, readonly Verdict[]>;
  readonly held: readonly HeldQuery[];
  readonly trees: { readonly before?: ResolvedTree; readonly after?: ResolvedTree };
  readonly rows: SideRows;
  readonly drawn: DrawnItems;
  /** Why the side after, or the side before, does not resolve. */
  readonly problem?: ErrorEnvelope;
  readonly formerProblem?: ErrorEnvelope;
}

/** Compares two states of a document: words, items before and after with the same rows, marks. */
export async function compareDocuments(parts: SideParts, request: CompareRequest): Promise<Compared> {
  const { engine, sources } = parts;
  const { before, after, overrides = [], held } = request;
  const documents = compareNodes(before, after, engine.types);
  const [old, current] = [resolveSide(engine, before, overrides), resolveSide(engine, after, overrides)];
  const touched = touchedItems(documents);
  const { items, grids } = itemsOf(documents, touched, old.tree, current.tree, current.problem);
  const rows = await askBoth(sources, old.tree, current.tree, held, overriddenQueries(overrides));
  const drawn = await drawItems(parts.painter, old, current, rows, items);
  return {
    documents,
    words: wordsBetween(before, after, engine.types),
    items,
    grids,
    verdicts: new Map(items.map(item => [item.id, verdictsAt(item, documents, rows, drawn, old, current)])),
    held: heldQueries(current.tree, rows.after),
    trees: defined({ before: old.tree, after: current.tree }),
    rows,
    drawn,
    ...defined({ problem: current.problem, formerProblem: old.problem }),
  };
}

/** Name of a node for people, without quotes. */
export function nameOf({ old, current }: Pick<ComparedDocuments, 'old' | 'current'>, id: string): string {
  const position = current.find(id) ?? old.find(id);
  return position === undefined ? id : escapeControls(labelOf(position).slice(1, -1));
}

/** Touched items and what follows from them; of a side that does not resolve, the item with the error. */
function itemsOf(
  documents: ComparedDocuments,
  touched: readonly ComparedItem[],
  before: ResolvedTree | undefined,
  after: ResolvedTree | undefined,
  problem: ErrorEnvelope | undefined,
): { readonly items: readonly ComparedItem[]; readonly grids: readonly ChangedGrid[] } {
  const ids = new Set(touched.map(({ id }) => id));
  if (problem !== undefined) {
    const broken = itemOfError(documents, problem.details);
    const users = usersOf(documents, ids);
    const isNew = broken !== undefined && !ids.has(broken) && !users.some(({ id }) => id === broken);
    const named = isNew ? [affectedItem(documents, broken, [])] : [];
    return { items: [...touched, ...named, ...users], grids: [] };
  }
  if (before === undefined || after === undefined) return { items: touched, grids: [] };
  const { items, grids } = consequencesOf(documents, before, after, ids);
  return { items: [...touched, ...items, ...lonelyGrids(documents, grids, [...touched, ...items])], grids };
}

/** Regions whose grid differs although neither they nor a child of theirs is among the items. */
function lonelyGrids(
  documents: ComparedDocuments,
  grids: readonly ChangedGrid[],
  items: readonly ComparedItem[],
): ComparedItem[] {
  const told = new Set(items.map(({ id }) => id));
  return grids
    .filter(({ id, before, after }) => {
      const children = [...(before?.children ?? []), ...(after?.children ?? [])];
      return (
        !told.has(id) &&
        !children.some(child => told.has(child.id)) &&
        before !== undefined &&
        after !== undefined
      );
    })
    .map(({ id }) => affectedItem(documents, id, []));
}

function verdictsAt(
  item: ComparedItem,
  documents: ComparedDocuments,
  rows: SideRows,
  drawn: DrawnItems,
  before: ResolvedSide,
  { nodes, problem }: ResolvedSide,
): readonly Verdict[] {
  if (problem !== undefined) {
    return itemOfError(documents, problem.details) === item.id ? [errorVerdict(problem)] : [];
  }
  const old = { node: before.nodes.get(item.id), rows: rows.before };
  const current = { node: nodes.get(item.id), rows: rows.after };
  return verdictsOf(old, current, drawn.isIdentical(item.id));
}

function heldQueries(
  tree: ResolvedTree | undefined,
  rows: ReadonlyMap<string, ItemData>,
): readonly HeldQuery[] {
  if (tree === undefined) return [];
  return [...leavesOf(tree.root)].flatMap(({ id }) => {
    const data = rows.get(id);
    return data?.state === 'held'
      ? [{ nodeId: id, connectionType: data.connectionType, query: data.query }]
      : [];
  });
}
