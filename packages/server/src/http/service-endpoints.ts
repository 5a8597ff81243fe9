import type { OidcBridge } from '../auth/access/oidc/bridge.ts';
import { consoleSettings } from '../console/options.ts';
import type { Service } from '../service/compose.ts';
import type { MsgOptions } from '../service/options.ts';
import { recordedRequests } from './access-log.ts';
import { HttpEndpoints, type HttpEndpointsOptions } from './endpoints.ts';
import type { RunFacts } from './run-facts.ts';
import { ServiceManifest } from './service-manifest.ts';

/** The HTTP endpoints of a service, as its options say. */
export function httpEndpoints(
  service: Service,
  options: MsgOptions,
  parts: Pick<
    HttpEndpointsOptions,
    | 'health'
    | 'consoleLogin'
    | 'metrics'
    | 'elsewhere'
    | 'sessionCounts'
    | 'listenersElsewhere'
    | 'webtransport'
  > & {
    readonly oidc: Pick<OidcBridge, 'issuer' | 'verify'> | undefined;
    readonly run: RunFacts;
  },
): HttpEndpoints {
  const described = new ServiceManifest(service, options, {
    run: parts.run,
    issuer: parts.oidc?.issuer,
  });
  const endpoints: HttpEndpoints = new HttpEndpoints(service, {
    noAuth: options.noAuth ?? false,
    strictRequests: options.strictRequests ?? false,
    allowedOrigins: options.allowedOrigins ?? [],
    allowedHosts: options.allowedHosts,
    trustedProxies: options.trustedProxies ?? [],
    metricsToken: options.metricsToken ?? '',
    clientScript: options.clientScript ?? true,
    basePath: options.basePath ?? '',
    console: consoleSettings(options.console),
    region: options.region ?? '',
    routes: options.routes ?? {},
    openApi: options.openApi ?? false,
    recorded: recordedRequests(options.accessLog),
    webtransport: options.webtransport,
    manifest: () => described.envelope(endpoints),
    ...parts,
  });
  return endpoints;
}
