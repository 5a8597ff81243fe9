import { flag, int32, int64, list, message, nullable, text, uint64 } from '@msg/foundation/shape';
import { missingNode } from './messages.ts';

// Messages of live connections (console, section 7). Member names are the wire's.

const connectionRow = message({
  client: text,
  user: text,
  /** Id of its node. */
  node: text,
  transport: text,
  /** `json` or `protobuf`. */
  encoding: text,
  address: text,
  /** What the client program calls itself. */
  client_name: text,
  client_version: text,
  /** RFC 3339, to the millisecond. */
  connected_at: text,
  subscriptions: int32,
  /** Bytes that wait for it. */
  queue_bytes: int64,
  /** End of its token; 0: it has none. */
  expires_unix: int64,
  /** The key that signed its token; empty: it has none. */
  rests_on: text,
  /** What passes is being recorded. */
  recording: flag,
});

/** Empty members of the filter accept every connection. */
export const listConnectionsRequest = message({
  user: text,
  client: text,
  transport: text,
  /** An IP address, or a range: `10.0.0.0/8`. */
  address: text,
  /** A channel that they are subscribed to. */
  name: text,
  /** Id of a node. */
  node: text,
  min_queue_bytes: int64,
  /** `age`, the default, the youngest first; `user`, `queue_bytes`, `subscriptions`. */
  sort: text,
  descending: flag,
  /** At most 200; 0: 50. A page of long rows has fewer: at most 64 kB of JSON. */
  limit: int32,
  cursor: text,
});
export const listConnectionsResponse = message({
  connections: list(connectionRow),
  /** Matches of the nodes that answered. */
  total: int64,
  /** Empty on the last page, and where rows move: by bytes and by subscriptions. */
  next_cursor: text,
  missing_nodes: list(missingNode),
});

export const connectionRef = message({ client: text });
const subscriptionRow = message({
  channel: text,
  /** RFC 3339, to the millisecond. */
  since: text,
  /** The last offset that the client got; 0 without positions. */
  offset: uint64,
  recoverable: flag,
  delta: flag,
  /** The token that it depends on; empty for a public channel. */
  rests_on: message({ kid: text, jti: text, expires_unix: int64 }),
});
export const getConnectionResponse = message({
  connection: nullable(connectionRow),
  /** At most 500. */
  subscriptions: list(subscriptionRow),
  /** Subscriptions that are not listed. */
  subscriptions_more: int32,
  /** Channels that the client waits for; `last_attempt` is RFC 3339. */
  waiting: list(message({ channel: text, reason: text, last_attempt: text })),
  missing_nodes: list(missingNode),
});

export const listUsersRequest = message({
  /** The begin of the ids. */
  query: text,
  /** At most 200; 0: 50. A page of long rows has fewer. */
  limit: int32,
  cursor: text,
});
export const listUsersResponse = message({
  users: list(message({ user: text, connections: int32, nodes: list(text) })),
  /** There are at least so many. */
  total: int64,
  next_cursor: text,
  missing_nodes: list(missingNode),
});

/** Either `client` or `user`. */
export const disconnectRequest = message({
  client: text,
  user: text,
  /** The client connects again. */
  reconnect: flag,
  /** At most 64 bytes. */
  reason: text,
});
export const disconnectResponse = message({ disconnected: int32, missing_nodes: list(missingNode) });

/** One of `client`, `user` and `all`. */
export const unsubscribeRequest = message({ name: text, client: text, user: text, all: flag });
export const unsubscribeResponse = message({ unsubscribed: int32, missing_nodes: list(missingNode) });

export const presenceListRequest = message({
  name: text,
  /** At most 200; 0: 100. A page of long rows has fewer. */
  limit: int32,
  cursor: text,
});
export const presenceListResponse = message({
  entries: list(
    message({
      client: text,
      user: text,
      /** Id of its node. */
      node: text,
      /** JSON texts; empty without info, and where it is hidden. */
      conn_info: text,
      chan_info: text,
      /** The caller's role does not see infos. */
      hidden: flag,
      /** RFC 3339, to the millisecond. */
      since: text,
    }),
  ),
  total: int64,
  next_cursor: text,
  missing_nodes: list(missingNode),
});
