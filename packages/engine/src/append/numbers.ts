import { AppendRefused } from './refusal.ts';
import type { FinalStatus } from './status.ts';

/** The numbers of the open message of a channel. */
export interface OpenNumbers {
  readonly message: string;
  readonly producer: string;
  /** Number of the last operation applied. */
  readonly seq: number;
}

/** The numbers of an ended message. */
export interface EndedNumbers {
  readonly producer: string;
  readonly seq: number;
  readonly status: FinalStatus;
}

/** The numbers of a request. */
export interface RequestNumbers {
  readonly message: string;
  readonly producer: string;
  readonly seq: number;
  /** Operations; 0: a heartbeat. */
  readonly count: number;
  readonly takeOver: boolean;
}

/**
 * What to do with a request: open its message; grow it by the operations after the first `skip` (none of them for a
 * heartbeat), perhaps for another producer; or tell how an ended message ended.
 */
export type NumbersDecision =
  | { readonly kind: 'open' }
  | { readonly kind: 'grow'; readonly skip: number; readonly takesOver: boolean }
  | { readonly kind: 'ended' };

const OPEN: NumbersDecision = { kind: 'open' };
const ENDED: NumbersDecision = { kind: 'ended' };
/** The one decision of nearly every request. */
const GROW: NumbersDecision = { kind: 'grow', skip: 0, takesOver: false };

/**
 * Decides about a request by numbers alone, so that any request may be repeated (append streams 4). `ended` is the
 * request's own message, if that has ended.
 *
 * @throws AppendRefused
 */
export function decideByNumbers(
  open: OpenNumbers | null,
  ended: EndedNumbers | null,
  request: RequestNumbers,
): NumbersDecision {
  if (open !== null && open.message === request.message) return decideOpen(open, request);
  if (ended !== null) return decideEnded(ended, request);
  const { message, seq, count } = request;
  if (count === 0 || seq > 1) {
    const text = `message ${message} is not known; open it again with operation 1`;
    throw new AppendRefused('not_found', text, { expected_seq: '1' });
  }
  if (open !== null) {
    const text = `message ${open.message} is open; a channel has one at a time`;
    throw new AppendRefused('busy', text, { message: open.message });
  }
  return OPEN;
}

function decideOpen(open: OpenNumbers, request: RequestNumbers): NumbersDecision {
  const { seq, count } = request;
  const next = open.seq + 1;
  const takesOver = request.producer !== open.producer;
  if (takesOver && !(request.takeOver && seq === next)) {
    const text = request.takeOver
      ? `a take-over begins with operation ${next}, not ${seq}`
      : `producer ${open.producer} has the message`;
    throw new AppendRefused('fenced', text, { producer: open.producer, expected_seq: String(next) });
  }
  if (count > 0 && seq > next) {
    const text = `operation ${next} comes next, not ${seq}`;
    throw new AppendRefused('gap', text, { expected_seq: String(next) });
  }
  const skip = count === 0 ? 0 : Math.min(count, next - seq);
  return skip === 0 && !takesOver ? GROW : { kind: 'grow', skip, takesOver };
}

function decideEnded(
  ended: EndedNumbers,
  { message, producer, seq, count }: RequestNumbers,
): NumbersDecision {
  const repeats = count === 0 || seq + count - 1 <= ended.seq;
  if (repeats && producer === ended.producer) return ENDED;
  const text = `message ${message} has ended as ${ended.status}; use another id`;
  throw new AppendRefused('closed', text, { status: ended.status, seq: String(ended.seq) });
}
