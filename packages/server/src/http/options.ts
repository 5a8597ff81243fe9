/** Routes that a service serves; `false` turns one off. The clients' transports are always served. */
export interface RouteOptions {
  /** `/twirp/msg.MsgService/…` */
  readonly rpc?: boolean;
  /** `/metrics` */
  readonly metrics?: boolean;
  /** `/healthz` and `/readyz` */
  readonly health?: boolean;
  /** `/manifest` */
  readonly manifest?: boolean;
  /** The public keys: `/msg/jwks.json`. */
  readonly jwks?: boolean;
  /** `/sse`, the debug stream. */
  readonly debugStream?: boolean;
  /** `/schemas` and below. */
  readonly schemas?: boolean;
  /** `/msg.js` and `/msg.mjs` */
  readonly clientScript?: boolean;
  /** `/openapi.json`, which needs the option `openApi`. */
  readonly openApi?: boolean;
}

/** Selects the requests that are logged. */
export interface AccessLogOptions {
  /** `sampled`: a share of the successes, and all failures; default `on`. */
  readonly mode?: 'on' | 'sampled' | 'off';
  /** Share of the successes that is logged under `sampled`; default 0.01. */
  readonly sample?: number;
}

/** The WebTransport listener: a UDP port of its own, always with TLS. Needs the optional package `rwebtransport`. */
export interface WebTransportOptions {
  /** `host:port`, `:port` or `[v6]:port`; port 0 takes a free one. */
  readonly addr: string;
  /** Paths of PEM files: the certificate chain and its private key. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Replaces `allowedOrigins` on this listener; absent or empty: the same origins. */
  readonly allowedOrigins?: readonly string[];
}
