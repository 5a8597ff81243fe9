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

const text = JSON.stringify;

/**
 * The JSON line of the one record that every request writes, as the general logger would write it. `time` is the
 * record's `time` member with its leading comma.
 */
export function httpRequestLine(time: string, record: HttpRequestRecord): string {
  return (
    `{"level":"info"${time},"method":${text(record.method)},"path":${text(record.path)}` +
    `,"status":${record.status},"duration_ms":${record.duration_ms}` +
    `,"remote_addr":${text(record.remote_addr)},"request_id":${text(record.request_id)}` +
    `,"bearer_subject":${text(record.bearer_subject)},"trace_id":${text(record.trace_id)}` +
    `,"msg":"${HTTP_REQUEST}"}\n`
  );
}
