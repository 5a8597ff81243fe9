import type { Clock } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import type { AppendPort, WriterState } from './port.ts';

const WAIT_MS = 25_000;
/**
 * After a read that did not wait: the first pause, which doubles up to the longest. A stop reaches a silent producer within a
 * second, also when a read failed or too many others wait.
 */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 400;

/** The part of a writer that keeps its message alive, and hears of what others do to it. */
export interface LiveWriter {
  readonly message: string;
  /** The service has the message. */
  readonly isOpen: boolean;
  /** A request is under way. */
  readonly isSending: boolean;
  /** Milliseconds; 0: not known yet. */
  readonly orphanMs: number;
  /** Monotonic time of the newest answer. */
  readonly lastAnswerAt: number;
  heartbeat(): Promise<void>;
  read(state: WriterState): void;
}

/** Until the timeout of the message is known: the shortest one there is. */
const SHORTEST_ORPHAN_MS = 5000;

/** Sends a heartbeat after a third of the orphan timeout without other requests (append streams 5.3). */
export async function keepAlive(writer: LiveWriter, clock: Clock, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const third = (writer.orphanMs || SHORTEST_ORPHAN_MS) / 3;
    const wait = writer.lastAnswerAt + third - clock.monotonic();
    if (wait > 0) await pause(clock, wait, over);
    else if (writer.isSending || !writer.isOpen) await pause(clock, third, over);
    else await writer.heartbeat();
  }
}

/** Hears of a cancel, an end and another producer while the writer is silent. */
export async function watchState(
  writer: LiveWriter,
  port: AppendPort,
  clock: Clock,
  over: AbortSignal,
): Promise<void> {
  let rest = FIRST_PAUSE_MS;
  while (!over.aborted) {
    const start = clock.monotonic();
    const { message } = writer;
    const waitMs = writer.orphanMs === 0 ? 0 : WAIT_MS;
    if (writer.isOpen) {
      // Its requests tell the producer what is wrong: a read that fails is of no interest.
      const state = await port.state(message, waitMs, false).catch(() => null);
      if (!over.aborted && state !== null && message === writer.message) writer.read(state);
    }
    // A read hears only of a take-over that comes while it waits: the first one that waits follows at once.
    const isFirst = waitMs === 0 && writer.orphanMs > 0;
    if (isFirst) continue;
    if (clock.monotonic() - start >= LONGEST_PAUSE_MS) rest = FIRST_PAUSE_MS;
    else {
      await pause(clock, rest, over);
      rest = Math.min(rest * 2, LONGEST_PAUSE_MS);
    }
  }
}
