import type { FinalStatus } from './status.ts';

/**
 * An operation as the bytes that it adds to a document: `text` is escaped; `item` is a JSON value, and with `open` an
 * object that ends inside its open string.
 */
export type PreparedOp =
  | { readonly kind: 'text'; readonly bytes: Uint8Array }
  | { readonly kind: 'item'; readonly bytes: Uint8Array; readonly open: boolean }
  | { readonly kind: 'meta'; readonly bytes: Uint8Array }
  | { readonly kind: 'status'; readonly status: FinalStatus; readonly reason: string };
