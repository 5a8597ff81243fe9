/**
 * What the engine needs of an HTTP/3 stack, so that stacks can be swapped. Streams are those of the web platform.
 */
export interface WebTransportProvider {
  /**
   * Listens on a UDP port. Rejects with {@link WebTransportUnavailable}.
   */
  listen(options: WebTransportListenOptions): Promise<WebTransportServer>;
}

/** Where a listener listens, and with which certificate. */
export interface WebTransportListenOptions {
  /** Empty: every interface. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Paths of PEM files: the certificate chain and its private key. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** An open listener of an HTTP/3 stack. */
export interface WebTransportServer {
  /** The UDP port that is bound. */
  readonly port: number;
  /** Accepted sessions; ends when the server is closed. */
  readonly sessions: AsyncIterable<WebTransportSession>;
  /** Ends every session and frees the port. */
  close(): Promise<void>;
}

/** An accepted session (draft-ietf-webtrans-http3). */
export interface WebTransportSession {
  /** Path of the request with its query. */
  readonly path: string;
  /** Host and port the client asked for. */
  readonly authority: string;
  /** Absent for clients that are no browsers. */
  readonly origin: string | null;
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Address of the peer, without port. */
  readonly remoteAddress: string;
  /** Bidirectional streams that the client opens. */
  readonly incomingStreams: ReadableStream<WebTransportStream>;
  /** Settles, either way, when the session is over. */
  readonly closed: Promise<unknown>;
  /** Ends the session. Safe to call again. */
  close(code: number, reason: string): void;
}

/** One bidirectional stream of a session. */
export interface WebTransportStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/** Why no listener could be opened. */
export type WebTransportErrorReason =
  | 'not_installed'
  | 'unsupported_runtime'
  | 'unloadable'
  | 'bad_certificate'
  | 'cannot_listen';

/** The listener was asked for and cannot be had; the message says what to do about it. */
export class WebTransportUnavailable extends Error {
  override readonly name = 'WebTransportUnavailable';
  readonly reason: WebTransportErrorReason;

  constructor(reason: WebTransportErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
