import type { Clock } from '@msg/foundation/clock';
import type { Publication } from '@msg/protocol';
import type { HistoryFilter, HistoryResult } from './contract.ts';

/** Publications that are copied to readers in one turn of the event loop. */
const COPIED_ITEMS = 100_000;

type Read = (filter: HistoryFilter) => Promise<HistoryResult>;

interface Request {
  readonly filter: HistoryFilter;
  readonly read: Read;
  /** The read begins after this place, in its direction. */
  readonly start: number;
  /** The read ends at this place; infinite when it is unknown. */
  readonly end: number;
  resolve(result: HistoryResult | Promise<HistoryResult>): void;
  reject(error: unknown): void;
}

/** Overlapping requests that one read answers. */
interface Group {
  readonly requests: Request[];
  readonly start: number;
  end: number;
  /** The highest limit of the requests; negative when one of them wants everything. */
  limit: number;
}

/**
 * Reads of streams, with at most one read per stream and direction in flight. Requests that arrive meanwhile wait, and as
 * few reads as cover them answer all of them: a thousand clients that recover from different positions cost one read. No
 * request gets the result of a read that was sent before it. Limits are not 0.
 */
export class MergedReads {
  readonly #clock: Clock;
  /** Requests that wait for the read in flight, by stream and direction. */
  readonly #waiting = new Map<string, Request[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param stream key of the stream and of every option but the range that changes the result */
  run(stream: string, filter: HistoryFilter, read: Read): Promise<HistoryResult> {
    return new Promise((resolve, reject) => {
      const reversed = filter.reverse === true;
      const key = `${reversed ? 'r' : 'f'} ${stream}`;
      const request = { filter, read, ...bounds(filter), resolve, reject };
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined) waiting.push(request);
      else {
        this.#waiting.set(key, []);
        void this.#serve(key, [request]);
      }
    });
  }

  async #serve(key: string, first: Request[]): Promise<void> {
    let requests = first;
    while (requests.length > 0) {
      for (const group of groups(requests)) await answer(group, this.#clock);
      requests = this.#waiting.get(key) ?? [];
      this.#waiting.set(key, []);
    }
    this.#waiting.delete(key);
  }
}

/** Places in the direction of the read: offsets, negated when it goes backwards. */
function bounds({ since, limit, reverse }: HistoryFilter): { start: number; end: number } {
  const start = reverse === true ? -(since?.offset ?? Number.POSITIVE_INFINITY) : (since?.offset ?? 0);
  return { start, end: limit < 0 ? Number.POSITIVE_INFINITY : start + limit };
}

function groups(requests: readonly Request[]): Group[] {
  const result: Group[] = [];
  for (const request of [...requests].sort((a, b) => a.start - b.start || 0)) {
    const group = result.at(-1);
    const { start, end, filter } = request;
    if (group === undefined || start > group.end) {
      result.push({ requests: [request], start, end, limit: filter.limit });
      continue;
    }
    group.requests.push(request);
    group.end = Math.max(group.end, end);
    group.limit = group.limit < 0 || filter.limit < 0 ? -1 : Math.max(group.limit, filter.limit);
  }
  return result;
}

/** Never rejects. */
async function answer({ requests, start, end, limit: highest }: Group, clock: Clock): Promise<void> {
  const [first] = requests;
  if (first === undefined) return;
  // Without a start there is no distance to the end; all requests of the group then begin at the same place.
  const limit = highest < 0 || !Number.isFinite(start) ? highest : end - start;
  try {
    const result = await first.read({ ...first.filter, limit });
    let copied = 0;
    for (const request of requests) {
      const selected = select(result, limit, request);
      // In a trimmed stream the read may not reach the end of this request.
      request.resolve(selected ?? (await request.read(request.filter)));
      if (selected?.publications !== result.publications) copied += selected?.publications.length ?? 0;
      if (copied < COPIED_ITEMS) continue;
      // The readers so far use their lists before more lists are made.
      copied = 0;
      await new Promise<void>(resolve => clock.afterTurn(resolve));
    }
  } catch (error) {
    for (const request of requests) request.reject(error);
  }
}

/** The part of a read with that limit that answers a request; null when the read does not reach far enough. */
function select(result: HistoryResult, limit: number, { start, filter }: Request): HistoryResult | null {
  const { publications, compacted } = result;
  const sign = filter.reverse === true ? -1 : 1;
  let low = 0;
  let high = publications.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sign * (publications[middle] as Publication).offset <= start) low = middle + 1;
    else high = middle;
  }
  const isWhole = limit < 0 || publications.length < limit;
  const count = publications.length - low;
  if (filter.limit < 0 ? !isWhole : count < filter.limit && !isWhole) return null;
  if (low === 0 && (filter.limit < 0 || count <= filter.limit)) return result;
  const end = filter.limit < 0 ? undefined : low + filter.limit;
  const selected = { ...result, publications: publications.slice(low, end) };
  return compacted === undefined
    ? selected
    : { ...selected, compacted: { ...compacted, priors: compacted.priors.slice(low, end) } };
}
