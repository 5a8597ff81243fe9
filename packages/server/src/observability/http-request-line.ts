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

/** Caches the JSON text of a string that is mostly equal to the previous one. */
class QuotedText {
  #plain = '';
  #quoted = '""';

  of(text: string): string {
    if (text !== this.#plain) {
      this.#plain = text;
      this.#quoted = JSON.stringify(text);
    }
    return this.#quoted;
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

/** Characters of a line without the texts of its record. */
const FRAME = 190;

const method = new QuotedText();
const path = new QuotedText();
const peer = new QuotedText();
const subject = new QuotedText();
const trace = new QuotedText();

/** The JSON line of the one record that every request writes, as the general logger would write it. */
export class HttpRequestLine {
  readonly #time: string;
  readonly #record: HttpRequestRecord;

  /** @param time the record's `time` member with its leading comma */
  constructor(time: string, record: HttpRequestRecord) {
    this.#time = time;
    this.#record = record;
  }

  get length(): number {
    const { method, path, remote_addr, request_id, bearer_subject, trace_id, reason = '' } = this.#record;
    const names = request_id.length + bearer_subject.length + trace_id.length + reason.length;
    return FRAME + method.length + path.length + remote_addr.length + names;
  }

  toString(): string {
    const record = this.#record;
    const request = `"method":${method.of(record.method)},"path":${path.of(record.path)}`;
    const outcome = `"status":${record.status},"duration_ms":${decimal(record.duration_ms)}`;
    const caller = `"remote_addr":${peer.of(record.remote_addr)},"request_id":${JSON.stringify(record.request_id)}`;
    const names = `"bearer_subject":${subject.of(record.bearer_subject)},"trace_id":${trace.of(record.trace_id)}`;
    const why = record.reason === undefined ? '' : `,"reason":${JSON.stringify(record.reason)}`;
    return `{"level":"info"${this.#time},${request},${outcome},${caller},${names}${why},"msg":"${HTTP_REQUEST}"}\n`;
  }
}
