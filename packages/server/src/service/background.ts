import { COMPARE_MS } from '../realtime/rebalancer.ts';
import { Periodic } from '../timers/periodic.ts';
import type { Service } from './compose.ts';

const DEFAULT_SWEEP_INTERVAL_MS = 30_000;

/** Revocations of other nodes take effect on live subscriptions within 5 s. */
const REVOCATION_SWEEP_MS = 4000;

/** The reconciliation after this time makes up for lost messages of other nodes. */
const RECONCILE_MS = 30_000;

/** The channel of the audit is kept open so often, far before its TTL ends. */
const KEEP_OPEN_MS = 900_000;

/** The poll after this time makes up for lost messages about schemas. */
const SCHEMA_POLL_MS = 5000;

/**
 * Background work of a running service: the channel sweep, the keyring watcher, the sweep for revocations, messages of
 * the other nodes.
 */
export class BackgroundWork {
  readonly #service: Service;
  readonly #periodics: readonly Periodic[];
  readonly #keepsChannels: boolean;

  /** @param sweepIntervalMs null: another thread sweeps and keeps channels open */
  constructor(service: Service, sweepIntervalMs: number | null = DEFAULT_SWEEP_INTERVAL_MS) {
    this.#service = service;
    this.#keepsChannels = sweepIntervalMs !== null;
    const { clock, channels, revocations, revocationEnforcer, clusterBus, reconciler, schemas, onError } =
      service;
    const { rebalancer } = service;
    this.#periodics = [
      ...(sweepIntervalMs === null
        ? []
        : [
            new Periodic(clock, sweepIntervalMs, () => channels.sweep(), onError),
            new Periodic(clock, KEEP_OPEN_MS, () => service.auditBroadcast.keepOpen(), onError),
          ]),
      // A node with its own store gets every revocation at once.
      ...(clusterBus === undefined || clusterBus.joinsProcesses === false
        ? []
        : [new Periodic(clock, RECONCILE_MS, () => reconciler.reconcile(), onError)]),
      ...(clusterBus === undefined || clusterBus.joinsProcesses === false || rebalancer.windowMs <= 0
        ? []
        : [new Periodic(clock, COMPARE_MS, () => rebalancer.compare(), onError)]),
      ...(schemas.shared ? [new Periodic(clock, SCHEMA_POLL_MS, () => schemas.refresh(), onError)] : []),
      ...(revocations.shared
        ? [new Periodic(clock, REVOCATION_SWEEP_MS, () => revocationEnforcer.sweep(), onError)]
        : []),
    ];
  }

  /** Rejects when the cluster bus cannot start. */
  async start(): Promise<void> {
    const { clusterBus, clusterEvents, watcher, apiKeys, schemas, schemaBroadcast, auditBroadcast } =
      this.#service;
    const { keyUsage, onError } = this.#service;
    await clusterBus?.start(clusterEvents);
    // Without what is stored, keys of earlier processes count as unknown; everything else works.
    await keyUsage.start().catch(onError);
    if (this.#keepsChannels) await this.#openDeclaredChannels();
    await schemas.refresh();
    // Without its channel subscribers get no changes; everything else works.
    await schemaBroadcast.start().catch(onError);
    if (this.#keepsChannels) await auditBroadcast.keepOpen();
    for (const periodic of this.#periodics) periodic.start();
    watcher.start();
    apiKeys.start();
  }

  async #openDeclaredChannels(): Promise<void> {
    const { channels, logger } = this.#service;
    for (const channel of await channels.openDeclared())
      logger.warn({ channel }, 'the declared channel was deleted by hand and stays closed');
  }

  async stop(): Promise<void> {
    const { revocationEnforcer, watcher, apiKeys, schemaBroadcast, auditBroadcast } = this.#service;
    const { lastMinute, directory, keyUsage, ownRecordings, ownFeeds } = this.#service;
    lastMinute.stop();
    directory.stop();
    ownRecordings.close();
    await Promise.all([
      ownFeeds.stop(),
      ...this.#periodics.map(periodic => periodic.stop()),
      watcher.stop(),
      apiKeys.stop(),
      revocationEnforcer.stop(),
      schemaBroadcast.stop(),
      auditBroadcast.stop(),
      keyUsage.stop(),
    ]);
  }
}
