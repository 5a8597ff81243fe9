import { decimal, flag, int32, list, message, nullable, text } from '@msg/foundation/shape';
import { dlqItem } from './delivery-messages.ts';

// Messages of jobs that send dead letters again (console, section 7.7). Member names are the wire's.

const redriveJob = message({
  id: text,
  sink: text,
  /** `queued` behind four others of its node, `running`, `stopping`, `stopped`, `done`, `tripped`, or `interrupted`: its node died. */
  state: text,
  /** Letters of the job, which are those of its begin. */
  matched: int32,
  sent: int32,
  /** They failed again. */
  parked: int32,
  /** They were gone or claimed, or in work when a node died: these are not sent twice. */
  skipped: int32,
  remaining: int32,
  /** The 200 with the most letters that were sent or failed again. */
  groups: list(message({ group: text, sample: text, sent: int32, parked: int32 })),
  per_second: decimal,
  /** Letters per second that it made so far. */
  had_per_second: decimal,
  concurrency: int32,
  stop_after_failures: int32,
  retries: flag,
  /** Subject of the caller. */
  started_by: text,
  /** RFC 3339; the end is empty while it goes on. */
  started_at: text,
  ended_at: text,
  node: text,
});

/** One of `ids`, `group` and `all`; or `resume` alone. */
export const dlqRedriveRequest = message({
  sink: text,
  /** At most 500. */
  ids: list(text),
  group: text,
  all: flag,
  /** 0.1 to 1,000; 0: 5. */
  per_second: decimal,
  /** Sends at a time, 1 to 16; 0: 4. */
  concurrency: int32,
  /** So many failures in a row end the job; 0: 10. */
  stop_after_failures: int32,
  /** Each letter is tried by the policy of its sink, not once. */
  retries: flag,
  /** Nothing is sent: the answer has the number of letters and three of them. */
  dry_run: flag,
  /** The id of an interrupted job. */
  resume: text,
});
export const dlqRedriveResponse = message({
  job: nullable(redriveJob),
  matched: int32,
  /** Of a dry run. */
  samples: list(dlqItem),
});
export const dlqJobsRequest = message({ job: text });
export const dlqJobsResponse = message({
  /** Of the last day, the newest first. */
  jobs: list(redriveJob),
  /** Older ones do not fit into an answer. */
  more: flag,
});
