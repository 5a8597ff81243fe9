import type { Publication } from '@msg/protocol';
import type { CompactedWindow, HistoryResult, StreamPosition } from './contract.ts';

/** The last position of a client, as the client reports it. An empty epoch skips the epoch test. */
export type ClientPosition = StreamPosition;

/**
 * Stream mode: whether `history` has every publication after the client's position. It holds the retained publications
 * after it, ascending, possibly cut at a limit, and the top of the stream, read in one step (client protocol 11.1).
 */
export function continuesFrom(client: ClientPosition, history: HistoryResult): boolean {
  if (client.epoch !== '' && client.epoch !== history.epoch) return false;
  if (history.compacted !== undefined) return continuesCompacted(client.offset, history, history.compacted);
  const { publications } = history;
  const first = publications[0];
  const last = publications.at(-1);
  if (first === undefined || last === undefined) return history.offset === client.offset;
  return first.offset === client.offset + 1 && last.offset === history.offset;
}

/**
 * As {@link continuesFrom}, for a window that keeps only the newest state of each message: the open message stands at its
 * own offset, and every other publication says which offsets before it were states (append streams 11).
 */
function continuesCompacted(
  from: number,
  { publications, offset: top }: HistoryResult,
  { priors, open }: CompactedWindow,
): boolean {
  let last = from;
  for (const [index, { offset }] of publications.entries()) {
    // A state below the top proves nothing: what came after it says so itself.
    if (offset === open?.offset && offset < top) continue;
    if ((priors[index] as number) > last) return false;
    last = offset;
  }
  return last === top;
}

/**
 * Cache mode: the publications for a client that recovers the latest value: none when it has it, else the newest one that
 * passes its filter; null when not recovered (client protocol 11.2). `newest` is the offset of the newest retained
 * publication, filtered or not.
 */
export function recoverLatest(
  client: ClientPosition,
  latest: Publication | undefined,
  top: StreamPosition,
  newest: number | undefined,
): Publication[] | null {
  const atTop = client.offset > 0 && client.offset === top.offset && client.epoch === top.epoch;
  if (newest === undefined) return atTop ? [] : null;
  if (newest !== top.offset) return null;
  return atTop || latest === undefined ? [] : [latest];
}

/**
 * Why continuity could not be proven: another `epoch`, publications `trimmed` from the window, a position `ahead` of
 * the stream, or more to recover than the `limit` allows.
 */
export type UnrecoveredReason = 'epoch' | 'trimmed' | 'ahead' | 'limit';

/** The reason of a recovery that {@link continuesFrom} or {@link recoverLatest} refused. */
export function unrecoveredReason(client: ClientPosition, history: HistoryResult): UnrecoveredReason {
  if (client.epoch !== '' && client.epoch !== history.epoch) return 'epoch';
  if (client.offset > history.offset) return 'ahead';
  const { compacted, publications } = history;
  const isFirstThere =
    compacted === undefined
      ? publications[0]?.offset === client.offset + 1
      : publications.length > 0 && (compacted.priors[0] as number) <= client.offset;
  return isFirstThere ? 'limit' : 'trimmed';
}
