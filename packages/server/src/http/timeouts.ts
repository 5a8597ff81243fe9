/**
 * Options for `createServer` of `node:http`: how long the server waits for a peer, in milliseconds. A connection has 5 s
 * to send the head of a request, also the first one, and a request 15 s to be whole; both are checked every second.
 * `serve` uses them, and a program that mounts {@link Msg.handler} in its own server should: Node's own values are 60 s
 * and 5 minutes, checked every 30 s. Source: messaging details, section 11.
 */
export const HTTP_TIMEOUTS = {
  headersTimeout: 5000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1000,
} as const;

/** How long a shutdown waits for connections to close. */
export const SHUTDOWN_GRACE_MS = 5000;
