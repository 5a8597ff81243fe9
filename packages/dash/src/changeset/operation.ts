import type { Json } from '../document/json.ts';
import type { Pointer } from '../document/pointer.ts';

/** The six operations of RFC 6902. */
export const OPERATION_NAMES = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

/** The operations of a changeset (RFC 6902). */
export type OperationName = (typeof OPERATION_NAMES)[number];

/** One well-formed operation. `pointer` and `source` keep the author's text for errors and commit messages. */
export interface Operation {
  readonly op: OperationName;
  readonly pointer: string;
  readonly path: Pointer;
  /** add, replace, test. */
  readonly value?: Json;
  /** move, copy: the text and the segments of `from`. */
  readonly source?: string;
  readonly from?: Pointer;
}

/** True for operations with `from`. */
export function hasSource(operation: Operation): operation is Operation & { source: string; from: Pointer } {
  return operation.op === 'move' || operation.op === 'copy';
}
