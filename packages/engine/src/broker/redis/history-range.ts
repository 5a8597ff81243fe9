import type { HistoryFilter } from '../contract.ts';

const POSITION_ONLY = ['', '', '', ''] as const;

/** Arguments of the history script: command, bounds and count of a read; the newest first when reversed. */
export function rangeOf({ limit, reverse = false, since }: HistoryFilter): readonly (string | number)[] {
  if (limit === 0) return POSITION_ONLY;
  const count = Math.max(limit, -1);
  if (!reverse) return ['XRANGE', since === undefined ? '-' : since.offset + 1, '+', count];
  if (since === undefined) return ['XREVRANGE', '+', '-', count];
  return since.offset <= 1 ? POSITION_ONLY : ['XREVRANGE', since.offset - 1, '-', count];
}
