/** Members of the `http_request` record (messaging details 11.2). */
export interface HttpRequestRecord {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly status: number;
  /** At most two decimals. */
  readonly duration_ms: number;
  readonly remote_addr: string;
  readonly request_id: string;
  readonly bearer_subject: string;
  readonly trace_id: string;
  /** Why the request was refused, where the status is not enough. */
  readonly reason?: string;
}

/** Message of the record. */
export const HTTP_REQUEST = 'http_request';

/** Caches a text made of one or two others, which are mostly equal to the previous ones. */
class CachedText {
  readonly #make: (first: string, second: string) => string;
  #first = '';
  #second = '';
  #made: string;

  constructor(make: (first: string, second: string) => string) {
    this.#make = make;
    this.#made = make('', '');
  }

  of(first: string, second = ''): string {
    if (first !== this.#first || second !== this.#second) {
      this.#first = first;
      this.#second = second;
      this.#made = this.#make(first, second);
    }
    return this.#made;
  }
}

/** The fraction of a number of hundredths, with its point and without trailing zeros. */
const FRACTIONS = Array.from({ length: 100 }, (_, hundredths) => String(hundredths / 100).slice(1));

/** The text of a number of at most two decimals. Formatting a fraction costs as much as the rest of the line. */
function decimal(number: number): string {
  const hundredths = Math.round(number * 100);
  const rest = hundredths % 100;
  return `${(hundredths - rest) / 100}${FRACTIONS[rest] ?? ''}`;
}

/**
 * Writes the record of a request as the general logger would, in fewer steps: most records have the address, the target and
 * the subject of the one before, and its millisecond.
 */
export class HttpRequestLines {
  readonly #start = new CachedText((time, target) => `{"level":"info"${time}${target}`);
  readonly #target = new CachedText(
    (method, path) => `,"method":${JSON.stringify(method)},"path":${JSON.stringify(path)},"status":`,
  );
  readonly #remoteAddress = new CachedText(
    address => `,"remote_addr":${JSON.stringify(address)},"request_id":`,
  );
  readonly #names = new CachedText(
    (subject, trace) => `,"bearer_subject":${JSON.stringify(subject)},"trace_id":${JSON.stringify(trace)}`,
  );

  /** Returns the JSON line of a record. `time` is its `time` member with the leading comma. */
  write(time: string, record: HttpRequestRecord): string {
    const start = this.#start.of(time, this.#target.of(record.method, record.path));
    const remoteAddress = this.#remoteAddress.of(record.remote_addr);
    const names = this.#names.of(record.bearer_subject, record.trace_id);
    const reason = record.reason === undefined ? '' : `,"reason":${JSON.stringify(record.reason)}`;
    const outcome = `${start}${record.status},"duration_ms":${decimal(record.duration_ms)}`;
    return `${outcome}${remoteAddress}${JSON.stringify(record.request_id)}${names}${reason},"msg":"${HTTP_REQUEST}"}\n`;
  }
}
