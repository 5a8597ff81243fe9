import type { Publication } from '@msg/protocol';
import { expect, test } from 'vitest';
import type { HistoryResult } from '#src/broker/contract.ts';
import { unrecoveredReason } from '#src/stream/recovery.ts';

/** A window as recovery reads it: offsets `from` to `to` of a stream that has reached `top`. */
function history(from: number, to: number, top: number): HistoryResult {
  const length = Math.max(0, to - from + 1);
  const publications = Array.from({ length }, (_, i) => ({ offset: from + i }) as Publication); // only offsets count
  return { offset: top, epoch: 'here', publications };
}

test.each([
  ['another epoch, whatever the offsets say', 5, 'elsewhere', history(6, 9, 9), 'epoch'],
  ['a position the stream has not reached', 12, 'here', history(1, 0, 9), 'ahead'],
  ['a window that begins too late', 3, 'here', history(6, 9, 9), 'trimmed'],
  ['an empty window below the top', 3, '', history(1, 0, 9), 'trimmed'],
  ['a window that was cut at its end', 3, 'here', history(4, 6, 9), 'limit'],
] as const)('not recovered: %s', (_, offset, epoch, window, reason) => {
  expect(unrecoveredReason({ offset, epoch }, window)).toBe(reason);
});
