import type { StreamPosition } from '../broker/contract.ts';

/** Something that happened at a place in the stream; offset 0 is outside the stream. */
interface Positioned {
  readonly position: StreamPosition;
}

/**
 * Do the items, in order of arrival, continue the stream at `top` without a hole? Items at or below `top` are
 * duplicates of what the history read returned (client protocol 11.4, step 7, with its holes closed).
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
