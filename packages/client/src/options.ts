import type { MsgError } from '@msg/core';
import type { Options } from 'centrifuge';
import type { StateChange } from './connection-state.ts';
import type { ClientCredentials } from './credentials.ts';
import type { AbortSignalLike, Fetch } from './platform.ts';
import type { TokenStore } from './stores/token-store.ts';
import type { Transport } from './transports.ts';

/** What a client is made with. */
export interface MsgClientOptions {
  /** Base address of the service: http(s) or ws(s). */
  readonly endpoint: string;
  /** What your backend got from CreatePrivate, IssueAccess or RefreshToken, as it is. */
  readonly credentials?: ClientCredentials;
  /**
   * Asks your backend for credentials: at the first connect when there are none, and instead of ending when the refresh
   * token no longer works or the service refuses what it led to, then at most once per 30 s. A rejection is tried again, unless it is a MsgError that is not
   * recoverable: that one ends the connection.
   */
  readonly getCredentials?: () => Promise<ClientCredentials>;
  /** The pair to begin with, in place of `credentials`; expiries in unix seconds, `accessExp` 0 refreshes first. */
  readonly accessToken?: string;
  readonly refreshToken?: string;
  readonly accessExp?: number;
  readonly refreshExp?: number;
  /** Default: memory. */
  readonly tokenStore?: TokenStore;
  /** In the order they are tried; default WebSocket, then HTTP streaming. */
  readonly preferTransports?: readonly Transport[];
  /** False: no manifest is fetched, the preferred transports are used as they are. */
  readonly manifest?: boolean;
  /** A token is refreshed this long before its end; default 30. */
  readonly refreshSkewSeconds?: number;
  /** Handed to the stock client. */
  readonly centrifugeOptions?: Partial<Options>;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
}

/** How long a call of `connect` waits. The client itself goes on trying until `disconnect`. */
export interface ConnectOptions {
  /** Ends the waiting: the call rejects with the signal's reason. */
  readonly signal?: AbortSignalLike;
  /** After so many milliseconds the call rejects with MSG_BROKER_NOT_READY. */
  readonly timeoutMs?: number;
}

/** What a client reports. */
export interface MsgClientEvents {
  /** The connection changed its state, or failed to be made once more. */
  state: (change: StateChange) => void;
  /** Nothing helps any more: the user is signed out and the connection closed. */
  terminal: (error: MsgError) => void;
  /** The manifest could not be fetched; the preferred transports are used as they are. */
  manifestUnavailable: (error: MsgError) => void;
  /** A subscription waits for its channel, which is not open: the stock client retries until it is. */
  waiting: (channel: string) => void;
}
