import { CHANNELS, kindOf } from './channels.ts';

/** A row that an application committed together with a publication. */
export interface CommittedRow {
  /** What was published. */
  readonly n: number;
  readonly channel: string;
  /** Of transactions that came one after the other. */
  readonly session: number;
  /** The order of the rows of channels whose writers wait for each other. */
  readonly position: number;
  /** When its transaction began, and was committed: microseconds on the database's clock. */
  readonly begunUs: number;
  readonly committedUs: number;
}

/** What one listener got of a channel, in its order. */
export interface Heard {
  readonly listener: string;
  readonly channel: string;
  readonly numbers: readonly number[];
}

/** How much later than its time stamp a commit may be seen. */
const SEEN_WITHIN_US = 1_000_000;
const NAMED = 3;

/** What a listener must not see of its channel: a line for each broken rule. */
export function faultsOf(
  committed: readonly CommittedRow[],
  { listener, channel, numbers }: Heard,
): string[] {
  const rows = new Map(committed.filter(row => row.channel === channel).map(row => [row.n, row]));
  const heard = new Set(numbers);
  const faults: string[] = [];
  const found = (rule: string, broken: readonly unknown[]): void => {
    if (broken.length === 0) return;
    const some = broken.slice(0, NAMED).join(', ');
    faults.push(`${listener}, ${channel}: ${broken.length} ${rule}: ${some}`);
  };
  found(
    'lost',
    [...rows.keys()].filter(n => !heard.has(n)),
  );
  found(
    'phantom',
    numbers.filter(n => !rows.has(n)),
  );
  found('doubled', repeated(numbers));
  const stream = numbers.flatMap(n => rows.get(n) ?? []);
  found('out of order', kindOf(channel) === 'plain' ? unordered(stream) : unlike(stream));
  found('before what was committed earlier', overtaken(stream));
  return faults;
}

function repeated(numbers: readonly number[]): number[] {
  const seen = new Set<number>();
  return numbers.filter(n => seen.size === seen.add(n).size);
}

/** Rows behind one with a later position: the writers waited for each other. */
function unlike(stream: readonly CommittedRow[]): number[] {
  return stream.filter((row, index) => row.position < (stream[index - 1]?.position ?? 0)).map(({ n }) => n);
}

/** Rows behind a later one of the same session. */
function unordered(stream: readonly CommittedRow[]): number[] {
  const last = new Map<number, number>();
  return stream.flatMap(({ n, session }) => {
    const before = last.get(session) ?? -1;
    last.set(session, Math.max(before, n));
    return n < before ? [n] : [];
  });
}

/** Rows before one that was committed before they were begun. */
function overtaken(stream: readonly CommittedRow[]): number[] {
  let earliest = Number.POSITIVE_INFINITY;
  return stream.toReversed().flatMap(({ n, begunUs, committedUs }) => {
    const isLate = earliest + SEEN_WITHIN_US < begunUs;
    earliest = Math.min(earliest, committedUs);
    return isLate ? [n] : [];
  });
}

/** Whether a listener has as many publications of each channel as were committed. */
export function hasAll(committed: readonly CommittedRow[], heard: readonly Heard[]): boolean {
  const counts = new Map(CHANNELS.map(name => [name, 0]));
  for (const { channel } of committed) counts.set(channel, (counts.get(channel) ?? 0) + 1);
  return heard.every(({ channel, numbers }) => numbers.length >= (counts.get(channel) ?? 0));
}
