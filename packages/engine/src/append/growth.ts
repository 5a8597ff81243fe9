import type { PreparedOp } from './prepared-op.ts';
import { invalidAppend } from './refusal.ts';
import type { AppendFormat, FinalStatus } from './status.ts';

/** What is open at the end of a body: the text, the string of the last item, or nothing. */
export type Tail = 'text' | 'open' | 'closed';

/** The tail of an empty body. */
export const NO_TAIL: Readonly<Record<AppendFormat, Tail>> = { text: 'text', items: 'closed' };

/** What operations do to a document. */
export interface Growth {
  /** Added to the body. */
  readonly bytes: Uint8Array;
  /** What is open afterwards. */
  readonly tail: Tail;
  /** Replaces the former one; null: it stays. */
  readonly meta: Uint8Array | null;
  /** Null: the message stays open. */
  readonly end: { readonly status: FinalStatus; readonly reason: string } | null;
}

const CLOSE_STRING = Buffer.from('"}');
const COMMA = Buffer.from(',');
const NO_BYTES = new Uint8Array(0);

/**
 * The growth by the operations from `skip` on, after a body of `bodyLength` bytes with this tail (append streams 3.1).
 *
 * @throws AppendRefused `invalid` for an operation that the tail does not allow
 */
export function growthOf(ops: readonly PreparedOp[], skip: number, before: Tail, bodyLength: number): Growth {
  const first = ops[skip];
  if (ops.length === skip + 1 && first?.kind === 'text' && before !== 'closed')
    return { bytes: first.bytes, tail: before, meta: null, end: null };
  const parts: Uint8Array[] = [];
  let tail = before;
  let meta: Growth['meta'] = null;
  let end: Growth['end'] = null;
  for (let index = skip; index < ops.length; index++) {
    const op = ops[index] as PreparedOp;
    if (op.kind === 'text') {
      if (tail === 'closed')
        throw invalidAppend(`ops[${index}]: no string is open for text; add an item with open`);
      parts.push(op.bytes);
    } else if (op.kind === 'item') {
      if (tail === 'text') throw invalidAppend(`ops[${index}]: items need a message of format items`);
      if (tail === 'open') parts.push(CLOSE_STRING);
      if (bodyLength > 0 || parts.length > 0) parts.push(COMMA);
      parts.push(op.bytes);
      tail = op.open ? 'open' : 'closed';
    } else if (op.kind === 'meta') meta = op.bytes;
    else end = { status: op.status, reason: op.reason };
  }
  return { bytes: parts.length === 0 ? NO_BYTES : Buffer.concat(parts), tail, meta, end };
}
