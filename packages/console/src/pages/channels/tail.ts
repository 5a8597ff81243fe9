import type { RpcResponse } from '@msg/core';
import type { PublicationRow } from './publication-table.tsx';

/** A publication that is shown. */
type TailItem = RpcResponse<'History'>['publications'][number];

/** A batch of a tail, as the service sends it. */
export interface TailBatch {
  readonly tail: string;
  readonly items: readonly TailItem[];
  readonly epoch: string;
  readonly from_offset: number;
  readonly to_offset: number;
  readonly seen: number;
  readonly skipped: number;
  readonly ended: string;
}

/** Rows that the page keeps. */
export const MAX_ROWS = 500;

/** What one page has seen of a channel: numbers are exact, also of what it missed. */
export interface TailView {
  /** The newest first. Their keys count up. */
  readonly rows: readonly PublicationRow[];
  /** Of the tail that runs: its epoch, its begin, the last offset, and what the page got of it. */
  readonly epoch: string;
  readonly from: number;
  readonly to: number;
  readonly seen: number;
  readonly shownHere: number;
  /** Of tails and streams before it. */
  readonly shownBefore: number;
  readonly skippedBefore: number;
  /** What passed while the tail was paused. */
  readonly passed: number;
}

export const EMPTY_VIEW: TailView = {
  rows: [],
  epoch: '',
  from: 0,
  to: 0,
  seen: 0,
  shownHere: 0,
  shownBefore: 0,
  skippedBefore: 0,
  passed: 0,
};

export function shownOf({ shownBefore, shownHere }: TailView): number {
  return shownBefore + shownHere;
}

/** What passed and is not on the page, whatever was lost on the way. */
export function skippedOf({ skippedBefore, seen, shownHere }: TailView): number {
  return skippedBefore + Math.max(0, seen - shownHere);
}

function withRows(view: TailView, rows: readonly (TailItem | string)[]): TailView {
  const first = (view.rows[0]?.key ?? 0) + 1;
  const added = rows.map(
    (row, at): PublicationRow =>
      typeof row === 'string' ? { key: first + at, words: row } : { key: first + at, publication: row },
  );
  return { ...view, rows: [...added.toReversed(), ...view.rows].slice(0, MAX_ROWS) };
}

/** The numbers of the tail that runs become those of a tail before. */
function closed(view: TailView): TailView {
  return {
    ...view,
    shownBefore: shownOf(view),
    skippedBefore: skippedOf(view),
    seen: 0,
    shownHere: 0,
  };
}

/** A tail begins, the first or one after a pause. */
export function begun(view: TailView, { offset, epoch }: { offset: number; epoch: string }): TailView {
  const isLater = view.epoch !== '' && view.epoch === epoch;
  const missed = isLater ? Math.max(0, offset - view.to) : 0;
  const next = { ...closed(view), epoch, from: offset, to: offset, passed: view.passed + missed };
  if (missed === 0) return next;
  return withRows(next, [`${missed} passed meanwhile, offsets ${view.to + 1} to ${offset}`]);
}

/** Takes a batch. */
export function received(view: TailView, batch: TailBatch): TailView {
  const { items, epoch, from_offset: from, to_offset: to, seen, ended: reason } = batch;
  let next = view;
  if (view.epoch !== '' && epoch !== view.epoch)
    next = withRows(closed(view), ['The stream was reset: offsets start at 1 again']);
  next = { ...next, epoch, from, to, seen, shownHere: next.shownHere + items.length };
  next = withRows(next, items);
  return reason === '' || reason === 'stopped' ? next : ended(next, reason);
}

/** The tail has ended, and not by the page. */
export function ended(view: TailView, reason: string): TailView {
  return withRows(view, [`The tail has ended: ${reason}`]);
}

/** A batch as the feed carries it: tags are an object there. */
export function batchOf(message: unknown): TailBatch {
  const batch = message as TailBatch & {
    readonly items: readonly { readonly tags?: Readonly<Record<string, string>> }[];
  }; // the service's own message
  const items = batch.items.map(item => ({ ...item, tags: new Map(Object.entries(item.tags ?? {})) }));
  return { ...batch, items };
}

/** A page of the history as a batch: what is newer than the last offset. */
export function polled(
  view: TailView,
  { offset, epoch, publications }: Pick<RpcResponse<'History'>, 'offset' | 'epoch' | 'publications'>,
): TailView {
  if (view.epoch !== epoch) return begun(view, { offset, epoch });
  if (offset === view.to) return view;
  const items = publications.filter(item => item.offset > view.to).toReversed();
  const seen = view.seen + offset - view.to;
  return received(view, {
    tail: '',
    items,
    epoch,
    from_offset: view.from,
    to_offset: offset,
    seen,
    skipped: seen - view.shownHere - items.length,
    ended: '',
  });
}
