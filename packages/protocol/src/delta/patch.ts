import { isUtf8 } from '../bytes/utf8.ts';
import { createDelta } from './create.ts';

/** Larger payloads are always sent in full, so that one publish cannot block the event loop. */
export const DELTA_BYTES = 131_072;

/** Requirements of a patch's receivers. */
export interface PatchOptions {
  /** The patch must be UTF-8: it travels as a JSON string (client protocol 12.3). */
  readonly utf8: boolean;
  /** Longest base and target that are compared; default {@link DELTA_BYTES}. */
  readonly maxBytes?: number;
}

/**
 * The patch to send instead of `target`; null when the full form must be sent, because the patch would not be smaller,
 * would not be UTF-8 where that is required, or would be too expensive (client protocol 12.1, 12.3).
 *
 * `base` and `target` are payload bytes for Protobuf connections and JSON forms for JSON connections.
 */
export function createPatch(base: Uint8Array, target: Uint8Array, options: PatchOptions): Uint8Array | null {
  const { utf8, maxBytes = DELTA_BYTES } = options;
  if (base.length > maxBytes || target.length > maxBytes) return null;
  const delta = createDelta(base, target);
  if (delta.length >= target.length) return null;
  return utf8 && !isUtf8(delta) ? null : delta;
}
