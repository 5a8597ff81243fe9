import { isMsgError, type MsgCode } from '@msg/core';
import type { AppendCommand, AppendEnd, AppendResult } from '@msg/engine';
import { BUCKETS, DurationHistogram, LabelledCounter } from '../observability/counters.ts';

/** What became of a request. */
type RequestResult =
  | 'applied'
  | 'duplicate'
  | 'heartbeat'
  | 'gap'
  | 'busy'
  | 'fenced'
  | 'closed'
  | 'not_found'
  | 'too_large'
  | 'refused';

const REFUSALS: Partial<Record<MsgCode, RequestResult>> = {
  MSG_APPEND_GAP: 'gap',
  MSG_APPEND_BUSY: 'busy',
  MSG_APPEND_FENCED: 'fenced',
  MSG_APPEND_CLOSED: 'closed',
  MSG_APPEND_NOT_FOUND: 'not_found',
  MSG_APPEND_TOO_LARGE: 'too_large',
};

/** Counters of append streams on this node (append streams 10.5). */
export class AppendCounts {
  /** By result. */
  readonly requests = new LabelledCounter();
  /** By status and who ended it. */
  readonly ended = new LabelledCounter();
  /** From the arrival of a request to its flush. */
  readonly waits = new DurationHistogram(BUCKETS);
  ops = 0;
  bytes = 0;
  flushes = 0;

  applied({ ops }: AppendCommand, { duplicates }: AppendResult, seconds: number): void {
    const fresh = ops.length - duplicates;
    const result: RequestResult = ops.length === 0 ? 'heartbeat' : fresh === 0 ? 'duplicate' : 'applied';
    this.requests.add(result);
    if (fresh === 0) return;
    this.ops += fresh;
    for (const op of ops.slice(duplicates)) this.bytes += bytesOf(op);
    this.waits.add('', seconds);
  }

  refused(error: unknown): void {
    this.requests.add((isMsgError(error) ? REFUSALS[error.code] : undefined) ?? 'refused');
  }

  appended(end: AppendEnd | null): void {
    this.flushes++;
    if (end !== null) this.ended.add(end.status, end.by);
  }
}

function bytesOf(op: AppendCommand['ops'][number]): number {
  if ('text' in op) return Buffer.byteLength(op.text);
  if ('item' in op) return op.item.length;
  return 'meta' in op ? op.meta.length : 0;
}
