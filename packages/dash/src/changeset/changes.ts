import { defined } from '@msg/foundation/json';
import type { NodeTypes } from '../catalog/node-types.ts';
import type { Json, JsonObject } from '../document/json.ts';
import { maskedDifference } from './credential-mask.ts';
import { type Difference, differencesBetween } from './differences.ts';

const LONGEST_TEXT = 200;
const MOST_CHANGES = 200;

/**
 * One difference between two states of a document. `nodeId` is a node's id or a scope; `field` is a path within it with
 * dots (`config.title`, `placement.colStart`; of `$variables` and `$connections` the name or id of the entry). A move
 * gives the holders as `from` and `to`. Texts are cut at 200 characters.
 */
export interface Change {
  readonly kind: 'added' | 'removed' | 'moved' | 'changed';
  readonly nodeId: string;
  readonly title?: string;
  readonly field?: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** The changes that a changeset made, at most 200. */
export interface ChangeSummary {
  readonly changes: readonly Change[];
  /** Present when there were more than 200. */
  readonly changesTruncated?: true;
}

/** The semantic summary of an edit, in document order, scopes first (dashboard details 13.3). */
export function changesBetween(before: JsonObject, after: JsonObject, types: NodeTypes): ChangeSummary {
  const differences = differencesBetween(before, after, types);
  const changes = differences.slice(0, MOST_CHANGES).map(maskedDifference).map(changeOf);
  return differences.length <= MOST_CHANGES ? { changes } : { changes, changesTruncated: true };
}

/** Keys and ids are truncated too, because every change below repeats them. */
function changeOf({ kind, nodeId, title, field, from, to }: Difference): Change {
  return defined({
    kind,
    nodeId: truncated(nodeId),
    title: title && truncated(title),
    field: field && truncated(field),
    from: shortened(from),
    to: shortened(to),
  });
}

/** The start of the text of a long list or object. */
function shortened(value: Json | undefined): Json | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return truncated(value);
  const text = JSON.stringify(value);
  return text.length <= LONGEST_TEXT ? value : truncated(text);
}

function truncated(text: string): string {
  return text.slice(0, LONGEST_TEXT);
}
