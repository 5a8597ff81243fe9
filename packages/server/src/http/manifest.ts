import type { ManifestPayload } from '@msg/core';
import { formatDuration, VERBS } from '@msg/core/internal';
import { TRANSPORTS } from '@msg/engine';
import { defined } from '@msg/foundation/json';
import { MAX_PRIVATE_TTL_MS } from '../channels/ttl.ts';
import type { RetryPolicy } from '../notify/sinks/retry-policy.ts';
import type { RunFacts } from './run-facts.ts';

/** The input of the manifest (messaging details 3.2). */
export interface ManifestFacts {
  readonly version: string;
  readonly run: RunFacts;
  readonly activeKeyId: string;
  /** Ports of the transports with a listener while it is open, by the name of the transport. */
  readonly listeners: ReadonlyMap<string, number>;
  readonly sinks: readonly string[];
  /** Public keys of Web Push sinks, by sink. */
  readonly webPush: Readonly<Record<string, string>>;
  readonly sinkRetry: RetryPolicy;
  readonly rateLimits: ManifestPayload['rate_limits'];
  readonly revocationStore: boolean;
  readonly sharedStore: boolean;
  readonly tracing: boolean;
  /** Absent: not served. */
  readonly metricsPath: string | undefined;
  readonly strictRequests: boolean;
  /** Append streams; absent: no channel takes them. */
  readonly append?: ManifestPayload['append'];
  /** The console is served. */
  readonly console: boolean;
  readonly clientScript?: ManifestPayload['client_script'];
  /** Issuer of the identity-provider bridge. */
  readonly oidcIssuer?: string | undefined;
  readonly configSource?: string | undefined;
  readonly region?: string | undefined;
  readonly peers?: readonly string[] | undefined;
}

/** The transports that clients may choose now, with the ports of those that have one: `<name>_port`. */
function transports(
  listeners: ReadonlyMap<string, number>,
): Pick<ManifestPayload, 'transports' | 'webtransport_port'> {
  const open = TRANSPORTS.filter(({ kind, name }) => kind !== 'listener' || listeners.has(name));
  const ports = [...listeners].map(([name, port]) => [`${name}_port`, port]);
  return {
    transports: open.filter(({ announced }) => announced).map(({ name }) => name),
    ...Object.fromEntries(ports),
  };
}

/** The manifest payload. It never holds secrets, key material or token text. */
export function manifestPayload(facts: ManifestFacts): ManifestPayload {
  return {
    service: 'msg',
    version: facts.version,
    boot_id: facts.run.bootId,
    threads: facts.run.threads,
    runtime_version: `node ${process.version}`,
    surfaces: ['cli', 'twirp', 'websocket'],
    sinks: facts.sinks,
    ...defined({ webpush: Object.keys(facts.webPush).length === 0 ? undefined : facts.webPush }),
    visibilities: ['public', 'private'],
    max_private_ttl: formatDuration(MAX_PRIVATE_TTL_MS),
    persistence: 'in-memory',
    shared_store: facts.sharedStore,
    key_rotation: 'supported',
    active_key_id: facts.activeKeyId,
    dlq_backend: facts.run.dlqBackend,
    sink_retry: {
      max_attempts: facts.sinkRetry.maxAttempts,
      base_backoff: formatDuration(facts.sinkRetry.baseBackoff),
      max_backoff: formatDuration(facts.sinkRetry.maxBackoff),
      jitter_fraction: facts.sinkRetry.jitterFraction,
    },
    rate_limits: facts.rateLimits,
    metrics_enabled: facts.metricsPath !== undefined,
    metrics_path: facts.metricsPath ?? '',
    tracing_enabled: facts.tracing,
    scope_grammar: 'visibility:segment(.segment)*[.*][.**]',
    supported_verbs: VERBS,
    deny_supported: true,
    scope_precedence: 'deny-wins',
    ...transports(facts.listeners),
    delta_compression: 'supported',
    append_streams: facts.append === undefined ? 'unsupported' : 'supported',
    ...defined({ append: facts.append }),
    ...defined({
      config_source: facts.configSource || undefined,
      region: facts.region || undefined,
      peers: facts.peers?.length ? facts.peers : undefined,
    }),
    admin_ui_enabled: facts.console,
    auth_oidc_enabled: facts.oidcIssuer !== undefined,
    ...defined({ auth_oidc_issuer: facts.oidcIssuer }),
    revocation_store_enabled: facts.revocationStore,
    strict_requests: facts.strictRequests,
    ...defined({ client_script: facts.clientScript }),
  };
}
