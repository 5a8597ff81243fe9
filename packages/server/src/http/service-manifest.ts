import type { Envelope, ManifestPayload } from '@msg/core';
import { createEnvelope } from '@msg/core/internal';
import type { Service } from '../service/compose.ts';
import type { MsgOptions } from '../service/options.ts';
import { type ManifestFacts, manifestPayload } from './manifest.ts';
import type { RunFacts } from './run-facts.ts';

type Labels = Pick<
  ManifestFacts,
  'run' | 'oidcIssuer' | 'configSource' | 'region' | 'peers' | 'strictRequests' | 'console'
>;

/** The descriptor of one service (messaging details 3.2). */
export class ServiceManifest {
  readonly #service: Service;
  readonly #labels: Labels;

  constructor(
    service: Service,
    options: MsgOptions,
    { run, issuer: oidcIssuer }: { readonly run: RunFacts; readonly issuer: string | undefined },
  ) {
    const { configSource, region, peers, strictRequests = false } = options;
    this.#service = service;
    this.#labels = {
      run,
      oidcIssuer,
      configSource,
      region,
      peers,
      strictRequests,
      console: options.console?.enabled === true,
    };
  }

  /** @param endpoints the HTTP endpoints' part of the descriptor */
  envelope({
    listeners,
    clientScript,
    metricsPath,
  }: Pick<ManifestFacts, 'listeners' | 'clientScript' | 'metricsPath'>): Envelope<ManifestPayload> {
    const { version, keyring, limits, revocations, sinks, clock, clusterBus, tracing, appendStreams } =
      this.#service;
    const payload = manifestPayload({
      version,
      activeKeyId: keyring.active.id,
      listeners,
      clientScript,
      metricsPath,
      sinks: sinks.names(),
      webPush: sinks.publicKeys(),
      sinkRetry: sinks.policy,
      rateLimits: limits.manifest(),
      revocationStore: revocations.enabled,
      sharedStore: clusterBus !== undefined && clusterBus.joinsProcesses !== false,
      tracing: tracing !== undefined,
      append: appendStreams.manifest(),
      ...this.#labels,
    });
    return createEnvelope('msg.manifest', payload, clock.now());
  }
}
