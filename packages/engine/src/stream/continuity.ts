import type { StreamPosition } from './contract.ts';

/** An item with its position in the stream; offset 0 is outside the stream. */
interface Positioned {
  readonly position: StreamPosition;
}

/**
 * Whether the items, in order of arrival, continue the stream at `top` without a gap. Items at or below `top` are
 * duplicates of the history read (client protocol 11.4, step 7).
 */
export function continues(top: StreamPosition, items: readonly Positioned[]): boolean {
  let last = top.offset;
  for (const { position } of items) {
    if (position.offset === 0) continue;
    if (position.epoch !== top.epoch) return false;
    if (position.offset > last + 1) return false;
    last = Math.max(last, position.offset);
  }
  return true;
}
