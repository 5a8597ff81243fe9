/** One rate-limit bucket in the manifest; `rate` 0 means unlimited, `per` is a Go duration string. */
export interface ManifestRateLimit {
  readonly rate: number;
  readonly per: string;
  readonly burst: number;
}

/**
 * Payload of the `msg.manifest` envelope (messaging details 3.2). Members of subsystems that are not part of
 * the running service are absent.
 */
export interface ManifestPayload {
  readonly service: 'msg';
  readonly version: string;
  /** A new id with every start, by which a client distinguishes a restart from an expiry. */
  readonly boot_id: string;
  /** Threads that hold connections; absent from servers of earlier versions. */
  readonly threads?: number;
  readonly runtime_version: string;
  readonly surfaces: readonly string[];
  readonly sinks: readonly string[];
  /** Keys with which pages subscribe to push messages, by sink; absent: no sink sends them. */
  readonly webpush?: Readonly<Record<string, string>>;
  readonly visibilities: readonly string[];
  readonly max_private_ttl: string;
  readonly persistence: 'in-memory';
  readonly shared_store: boolean;
  readonly key_rotation: 'supported';
  readonly active_key_id: string;
  readonly dlq_backend: 'memory' | 'redis' | 'custom';
  /** Waits are Go duration strings. */
  readonly sink_retry: {
    readonly max_attempts: number;
    readonly base_backoff: string;
    readonly max_backoff: string;
    readonly jitter_fraction: number;
  };
  readonly rate_limits: {
    readonly publish: ManifestRateLimit;
    readonly subscribe: ManifestRateLimit;
    readonly token_issue: ManifestRateLimit;
    /** Most specific pattern first. */
    readonly per_channel_publish?: readonly { readonly pattern: string; readonly limit: ManifestRateLimit }[];
  };
  readonly metrics_enabled: boolean;
  readonly metrics_path: string;
  readonly tracing_enabled: boolean;
  readonly scope_grammar: string;
  readonly supported_verbs: readonly string[];
  readonly deny_supported: true;
  readonly scope_precedence: 'deny-wins';
  readonly transports: readonly string[];
  /** UDP port of the WebTransport listener, while there is one. */
  readonly webtransport_port?: number;
  readonly delta_compression: 'supported' | 'unsupported';
  /** Some channels take append streams. */
  readonly append_streams: 'supported' | 'unsupported';
  /** Of the most general rule that turns them on. */
  readonly append?: {
    readonly max_bytes: number;
    /** Go duration strings. */
    readonly window: string;
    readonly full_window: string;
    readonly orphan_timeout: string;
  };
  readonly config_source?: string;
  readonly region?: string;
  readonly peers?: readonly string[];
  readonly admin_ui_enabled: boolean;
  readonly auth_oidc_enabled: boolean;
  readonly auth_oidc_issuer?: string;
  readonly revocation_store_enabled: boolean;
  /** Every RPC method refuses requests with unknown members. */
  readonly strict_requests: boolean;
  /** The browser wrapper as a script: its path below the service, and its digest for the attribute `integrity`. */
  readonly client_script?: { readonly path: string; readonly integrity: string };
}
