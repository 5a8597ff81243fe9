/** Members of the `http_request` record (messaging details 11.2). */
export interface HttpRequestRecord {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly remote_addr: string;
  readonly request_id: string;
  readonly bearer_subject: string;
  readonly trace_id: string;
}

/** Message of the record. */
export const HTTP_REQUEST = 'http_request';

/**
 * The JSON line of the one record that every request writes, as the general logger would write it. `time` is the
 * record's `time` member with its leading comma.
 */
export function httpRequestLine(time: string, record: HttpRequestRecord): string {
  return `{"level":"info"${time},${JSON.stringify(record).slice(1, -1)},"msg":"${HTTP_REQUEST}"}\n`;
}
