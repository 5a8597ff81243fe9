import type { MsgError } from '@msg/core';
import type { Options } from 'centrifuge';
import type { StateChange } from './connection-state.ts';
import type { ClientCredentials } from './credentials.ts';
import type { AbortSignalLike, Fetch } from './platform.ts';
import type { TokenStore } from './stores/token-store.ts';
import type { Transport } from './transports.ts';

/** Options of a client. */
export interface MsgClientOptions {
  /** Base address of the service: http(s) or ws(s). */
  readonly endpoint: string;
  /** Your backend's answer of CreatePrivate, IssueAccess or RefreshToken, unchanged. */
  readonly credentials?: ClientCredentials;
  /**
   * Asks your backend for credentials: at the first connect when there are none, and instead of ending when the refresh
   * token no longer works or the service refuses what it led to, then at most once per 30 s. A rejection is tried again, unless it is a MsgError that is not
   * recoverable: that one ends the connection.
   */
  readonly getCredentials?: () => Promise<ClientCredentials>;
  /** The initial pair, in place of `credentials`; expiries in Unix seconds, `accessExp` 0 refreshes first. */
  readonly accessToken?: string;
  readonly refreshToken?: string;
  readonly accessExp?: number;
  readonly refreshExp?: number;
  /** Default: memory. */
  readonly tokenStore?: TokenStore;
  /** Transports in the order of attempts; default WebSocket, then HTTP streaming. */
  readonly preferTransports?: readonly Transport[];
  /** False: the client fetches no manifest and uses the preferred transports unchanged. */
  readonly manifest?: boolean;
  /** A token is refreshed this long before its end; default 30. */
  readonly refreshSkewSeconds?: number;
  /** Options of the stock client. */
  readonly centrifugeOptions?: Partial<Options>;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
}

/** How long a call of `connect` waits. The client itself retries until `disconnect`. */
export interface ConnectOptions {
  /** Ends the waiting: the call rejects with the signal's reason. */
  readonly signal?: AbortSignalLike;
  /** Milliseconds after which the call rejects with MSG_BROKER_NOT_READY. */
  readonly timeoutMs?: number;
}

/** Events of a client. */
export interface MsgClientEvents {
  /** The connection changed its state, or another attempt failed. */
  state: (change: StateChange) => void;
  /** A terminal failure: the user is signed out and the connection is closed. */
  terminal: (error: MsgError) => void;
  /** The manifest could not be fetched; the client uses the preferred transports unchanged. */
  manifestUnavailable: (error: MsgError) => void;
  /** A subscription waits for its channel to open: the stock client retries until then. */
  waiting: (channel: string) => void;
}
