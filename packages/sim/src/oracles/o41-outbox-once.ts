import type { DeadRow, Observations, Oracle, Violation } from './observations.ts';
import { type StreamedRow, streamedRows } from './rows.ts';

/** What a row may be beside published: it was not known whether it had been, and nothing could tell. */
const UNCERTAIN = 'uncertain';

export const outboxOnce: Oracle = {
  id: 'O41',
  promise:
    'every committed row is in its stream or among the dead rows, once, or went to its sink; nothing is there of a transaction that was rolled back',
  judgesTheEnd: true,
  judge(observations) {
    const { outbox } = observations;
    if (outbox === undefined) return [];
    const streamed = streamedRows(observations);
    return [
      ...phantoms(observations, streamed),
      ...doubled(streamed),
      ...lost(observations, streamed),
      ...deadToo(observations, streamed),
    ];
  },
};

function violation(atUs: number, text: string): Violation {
  return { oracle: 'O41', atUs, text };
}

function phantoms({ outbox }: Observations, streamed: readonly StreamedRow[]): Violation[] {
  const channels = new Map(outbox?.committed.map(({ id, channel }) => [id, channel]));
  return streamed
    .filter(({ row, channel }) => channels.get(row) !== channel)
    .map(({ row, channel, atUs }) => violation(atUs, `row ${row} was not committed for ${channel}`));
}

function doubled(streamed: readonly StreamedRow[]): Violation[] {
  const had = new Set<string>();
  return streamed.flatMap(({ row, channel, epoch, atUs }) => {
    const key = `${row} ${channel} ${epoch}`;
    if (had.has(key)) return [violation(atUs, `row ${row} is twice in ${epoch} of ${channel}`)];
    had.add(key);
    return [];
  });
}

function lost({ outbox, endUs }: Observations, streamed: readonly StreamedRow[]): Violation[] {
  const waiting = new Set(outbox?.waiting);
  const there = new Set([
    ...streamed.map(({ row }) => row),
    ...(outbox?.dead ?? []).map(({ row }) => row),
    ...(outbox?.elsewhere ?? []),
  ]);
  return (outbox?.committed ?? [])
    .filter(({ id }) => waiting.has(id) || !there.has(id))
    .map(({ id, channel }) =>
      violation(endUs, `row ${id} of ${channel} is ${waiting.has(id) ? 'still waiting' : 'lost'}`),
    );
}

/** A row that died although the stream that it was in went on: its reader and its owner are told different things. */
function deadToo({ outbox }: Observations, streamed: readonly StreamedRow[]): Violation[] {
  const dead = new Map(outbox?.dead.map(row => [row.row, row]));
  // At least once: of a repetition the channel may have no subscriber.
  const viaSink = new Set(
    outbox?.committed.filter(({ kind }) => kind === 'publish_or_sink').map(({ id }) => id),
  );
  return streamed.flatMap(({ row, channel, epoch, atUs }) => {
    const death = dead.get(row);
    if (death === undefined || death.code === UNCERTAIN || viaSink.has(row)) return [];
    if (hasEnded(streamed, channel, epoch, death)) return [];
    return [
      violation(
        Math.max(atUs, death.atUs),
        `row ${row} of ${channel} is published, and died (${death.code})`,
      ),
    ];
  });
}

/** Whether the channel had a later epoch when the row died. */
function hasEnded(
  streamed: readonly StreamedRow[],
  channel: string,
  epoch: string,
  { atUs }: DeadRow,
): boolean {
  const last = streamed.findLast(other => other.channel === channel && other.atUs <= atUs);
  return last !== undefined && last.epoch !== epoch;
}
