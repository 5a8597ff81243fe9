/** Disconnect codes (client protocol 9.2). Applications use 4000–4999. */
export const DisconnectCode = {
  ConnectionClosed: 3000,
  Shutdown: 3001,
  InternalServerError: 3004,
  ConnectionExpired: 3005,
  SubscriptionExpired: 3006,
  Slow: 3008,
  WriteError: 3009,
  InsufficientState: 3010,
  ForceReconnect: 3011,
  NoPong: 3012,
  TooManyRequests: 3013,
  StateInvalidated: 3014,
  InvalidToken: 3500,
  BadRequest: 3501,
  Stale: 3502,
  ForceDisconnect: 3503,
  ConnectionLimit: 3504,
  ChannelLimit: 3505,
  InappropriateProtocol: 3506,
  PermissionDenied: 3507,
  NotAvailable: 3508,
  TooManyErrors: 3509,
} as const;
export type DisconnectCode = (typeof DisconnectCode)[keyof typeof DisconnectCode];

/** One row of the table of disconnect codes. */
export interface DisconnectCodeRow {
  readonly code: DisconnectCode;
  readonly reason: string;
  /** Clients reconnect automatically. */
  readonly reconnect: boolean;
  /** False for codes that the server never sends. */
  readonly sent: boolean;
}

const row = (code: DisconnectCode, reason: string, sent = true): DisconnectCodeRow => ({
  code,
  reason,
  reconnect: disconnectReconnects(code),
  sent,
});

/** Every disconnect code of the protocol, ascending. */
export const DISCONNECT_CODES: readonly DisconnectCodeRow[] = [
  row(3000, 'connection closed', false),
  row(3001, 'shutdown'),
  row(3004, 'internal server error'),
  row(3005, 'connection expired'),
  row(3006, 'subscription expired'),
  row(3008, 'slow'),
  row(3009, 'write error'),
  row(3010, 'insufficient state'),
  row(3011, 'force reconnect'),
  row(3012, 'no pong'),
  row(3013, 'too many requests'),
  row(3014, 'state invalidated'),
  row(3500, 'invalid token'),
  row(3501, 'bad request'),
  row(3502, 'stale'),
  row(3503, 'force disconnect'),
  row(3504, 'connection limit'),
  row(3505, 'channel limit'),
  row(3506, 'inappropriate protocol'),
  row(3507, 'permission denied'),
  row(3508, 'not available'),
  row(3509, 'too many errors'),
];

const BY_CODE: ReadonlyMap<number, DisconnectCodeRow> = new Map(DISCONNECT_CODES.map(r => [r.code, r]));

/** The row of a protocol disconnect code. */
export function disconnectCodeRow(code: DisconnectCode): DisconnectCodeRow;
export function disconnectCodeRow(code: number): DisconnectCodeRow | undefined;
export function disconnectCodeRow(code: number): DisconnectCodeRow | undefined {
  return BY_CODE.get(code);
}

/**
 * Whether clients connect again after a disconnect with this code: all but 3500–3999 and 4500–4999, and the
 * WebSocket close code 1009 (message too big).
 */
export function disconnectReconnects(code: number): boolean {
  const isTerminal = (code >= 3500 && code < 4000) || (code >= 4500 && code < 5000) || code === 1009;
  return !isTerminal;
}
