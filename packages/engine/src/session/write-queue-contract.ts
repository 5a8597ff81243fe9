import type { ReplyBudget } from '../replies/reply-budget.ts';
import type { NodeStats } from '../stats.ts';
import type { TimerWheel } from '../timers/timer-wheel.ts';
import type { Flusher } from './flusher.ts';
import type { ReplyTurns } from './reply-turns.ts';

/** Options of the write queues of one node. */
export interface WriteQueueOptions {
  readonly flusher: Flusher;
  readonly replyTurns: ReplyTurns;
  readonly replyBudget: ReplyBudget;
  /** A longer reply of one connection counts towards the reply budget. */
  readonly ownReplyBytes: number;
  readonly wheel: TimerWheel;
  readonly stats: NodeStats;
  /** Push bytes that may wait for a slow reader. */
  readonly limitBytes: number;
  /** How long the peer may take nothing at all, milliseconds. */
  readonly stallMs: number;
}

/** What a write queue reports to its connection. */
export interface WriteQueueEvents {
  /** More push bytes than the limit are waiting (3008). */
  onOverflow(): void;
  /** The peer took no bytes for the stall time (3009). */
  onStall(): void;
  /** The queued bytes fell below the limit again. */
  onDrain(): void;
}
