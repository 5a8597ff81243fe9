import { flag, int32, int64, list, message, text, textMap, uint64 } from '@msg/foundation/shape';
import { missingNode, scope } from './messages.ts';

// Messages of what operators see and do (console, section 7). Member names are the wire's.

const auditRecord = message({
  id: text,
  /** Begin of the call, RFC 3339. */
  at: text,
  /** Subject of the bearer. */
  actor: text,
  role: text,
  /** `rpc`, `api`, `console`, `cli` or `system`. */
  via: text,
  method: text,
  /** `<kind>:<name>`; empty for calls about no single thing. */
  target: text,
  /** Some members of the request. */
  detail: text,
  /** `ok`, the code of a failure, or `started`. */
  outcome: text,
  duration_ms: int32,
  request_id: text,
  remote_addr: text,
  /** Id of the node that served the call. */
  node: text,
});
/** Empty members of the filter accept every record; times are RFC 3339. */
export const auditListRequest = message({
  actor: text,
  method: text,
  target: text,
  outcome: text,
  via: text,
  since: text,
  until: text,
  /** At most 500; 0: 100. */
  limit: int32,
  cursor: text,
});
export const auditListResponse = message({
  /** The newest first. */
  records: list(auditRecord),
  next_cursor: text,
  missing_nodes: list(missingNode),
});

export const whoAmIResponse = message({
  subject: text,
  /** `viewer`, `operator`, `admin`, or `none`. */
  role: text,
  /** Empty: every channel. */
  scopes: list(scope),
  /** 0: the bearer does not end. */
  expires_unix: int64,
  /** `key`, `api_key`, `oidc`, or `none` where no bearer is asked for. */
  source: text,
});

export const historyRequest = message({
  name: text,
  /** First offset of the page; 0: the oldest, or with `reverse` the newest. */
  from_offset: uint64,
  /** At most 200; 0: 50. */
  limit: int32,
  reverse: flag,
  /** Longer payloads are cut; at most 1 MiB; 0: 16 KiB. */
  max_payload_bytes: int32,
});
const shownPublication = message({
  offset: uint64,
  /** RFC 3339; empty where the stream has no time. */
  at: text,
  /** Bytes of the whole payload. */
  size: int64,
  /** The exact text of the payload, or base64. */
  data: text,
  /** The payload is cut; or the tags are, which do not fit into an answer. */
  truncated: flag,
  /** The caller's role does not see payloads. */
  hidden: flag,
  /** `json`, `text` or `base64`. */
  encoding: text,
  tags: textMap,
  /** The publisher, for publications of clients. */
  user: text,
  client: text,
});
export const historyResponse = message({
  /** Top of the stream. */
  offset: uint64,
  epoch: text,
  /** The oldest publication that is kept; 0: none. */
  first_offset: uint64,
  /** The channel keeps a history. */
  kept: flag,
  publications: list(shownPublication),
  more: flag,
});
