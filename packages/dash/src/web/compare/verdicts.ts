import { defined } from '@msg/foundation/json';
import type { ItemData } from '../../data/contract.ts';
import type { ErrorEnvelope } from '../../errors.ts';
import type { ResolvedNode } from '../../resolve/tree.ts';
import { leavesOf } from '../dashboard.ts';
import { rowsOf } from './sides.ts';

/** What a reviewer must know about an item: `bad` is an error, `warn` is worth a look, `same` looks the same. */
export interface Verdict {
  readonly tone: 'bad' | 'warn' | 'same';
  /** At most three words, for the list. */
  readonly short: string;
  readonly title: string;
  readonly text?: string;
  readonly code?: string;
}

/** An item on one side: its node and the rows of its leaves. */
export interface ItemSide {
  readonly node: ResolvedNode | undefined;
  readonly rows: ReadonlyMap<string, ItemData>;
}

/** The item does not resolve: nothing can be committed. */
export function errorVerdict({ code, message }: ErrorEnvelope): Verdict {
  return {
    tone: 'bad',
    short: 'error',
    title: 'After the change this does not resolve.',
    text: message,
    code,
  };
}

/** Marks of an item that resolves on the side after (review details 3.3). */
export function verdictsOf(before: ItemSide, after: ItemSide, isIdentical: boolean): Verdict[] {
  if (after.node === undefined) return [];
  const old = new Map(
    before.node === undefined ? [] : [...leavesOf(before.node)].map(node => [node.id, node]),
  );
  const marks = [...leavesOf(after.node)].flatMap(node => {
    const former = old.get(node.id);
    return leafVerdicts(
      { node: former, data: before.rows.get(node.id) },
      { node, data: after.rows.get(node.id) },
    );
  });
  if (marks.length > 0 || !isIdentical) return marks;
  return [{ tone: 'same', short: 'looks the same', title: 'Before and after look the same.' }];
}

interface LeafSide {
  readonly node: ResolvedNode | undefined;
  readonly data: ItemData | undefined;
}

function leafVerdicts(before: LeafSide, after: LeafSide & { readonly node: ResolvedNode }): Verdict[] {
  const { data, node } = after;
  if (data?.state === 'held') {
    const title = 'The query of this item waits for you.';
    return [{ tone: 'warn', short: 'not asked yet', title, text: 'Run it to see its rows.' }];
  }
  if (data?.state === 'error' || data?.state === 'stale') {
    const { code, message } = data.error;
    const title = 'After the change the query of this item fails.';
    return [{ tone: 'warn', short: 'query fails', title, text: message, code }];
  }
  const hadRows = before.node === undefined ? 0 : rowCount(before.node, before.data);
  const lacksRows = showsRows(node) && data?.state !== 'not-asked' && rowCount(node, data) === 0;
  if (lacksRows) {
    const text = hadRows === 0 ? undefined : `Before there were ${hadRows}.`;
    const title = 'After the change this item has no rows.';
    return [defined({ tone: 'warn' as const, short: 'no rows', title, text })];
  }
  return [...fewerColumns(before, after), ...warningsOf(data)];
}

/** A leaf that shows rows: of a connection, or its own. */
const showsRows = ({ binding, config }: ResolvedNode): boolean =>
  binding !== undefined || Array.isArray(config?.['rows']);

/** Rows of a connection, or own ones: those of a table are lists, those of other types objects. */
function rowCount(node: ResolvedNode, data: ItemData | undefined): number {
  const stored = node.binding === undefined ? node.config?.['rows'] : undefined;
  return Array.isArray(stored) ? stored.length : rowsOf(node, data).length;
}

function fewerColumns(before: LeafSide, after: LeafSide): Verdict[] {
  const [was, is] = [columnsOf(before), columnsOf(after)];
  const gone = was.filter(name => !is.includes(name));
  if (before.node === undefined || is.length === 0 || gone.length === 0) return [];
  const title =
    gone.length === 1
      ? 'After the change a column is gone.'
      : `After the change ${gone.length} columns are gone.`;
  return [{ tone: 'warn', short: 'fewer columns', title, text: `${gone.slice(0, 5).join(', ')}.` }];
}

function columnsOf({ data }: LeafSide): readonly string[] {
  return data !== undefined && 'data' in data ? data.data.columns : [];
}

function warningsOf(data: ItemData | undefined): Verdict[] {
  const warnings = data !== undefined && 'data' in data ? (data.data.warnings ?? []) : [];
  return warnings.map(text => ({
    tone: 'warn',
    short: 'warning',
    title: 'The source warns about this query.',
    text,
  }));
}
