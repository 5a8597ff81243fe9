import type { RealtimeNode } from '@msg/engine';
import { type Clock, type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { ApiSettings } from '../api/options.ts';
import type { CommandRunner } from '../api/runner.ts';
import type { AppendStreams } from '../append/append-streams.ts';
import type { AccessControl } from '../auth/access/access-control.ts';
import type { ApiKeys } from '../auth/api-keys/api-keys.ts';
import type { Keyring } from '../auth/keys/keyring.ts';
import type { KeyringWatcher } from '../auth/keys/watcher.ts';
import type { AccessIssuer } from '../auth/tokens/access-issuer.ts';
import type { ManagementIssuer } from '../auth/tokens/management.ts';
import type { PrivateChannels } from '../auth/tokens/private-channels.ts';
import type { RefreshRotation } from '../auth/tokens/refresh/rotation.ts';
import type { Revocations } from '../auth/tokens/revocation/revocations.ts';
import type { TokenVerifier } from '../auth/tokens/verifier.ts';
import type { KeyUsage } from '../auth/usage/key-usage.ts';
import type { ChannelOptionRules } from '../channels/channel-options.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { ChannelManager } from '../channels/manager.ts';
import { VERSION } from '../config/version.ts';
import { composeNotify, type Notify, type NotifyParts } from '../notify/compose.ts';
import { PublishOrSink } from '../notify/sinks/publish-or-sink.ts';
import { errorFields, type Logger, silentLogger } from '../observability/logger.ts';
import { Metrics } from '../observability/metrics.ts';
import { OutboxSource } from '../observability/outbox-metrics.ts';
import { type ObservedParts, readSources } from '../observability/sources.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import { tracedLogger } from '../observability/tracing/traced-logger.ts';
import { ChannelHistory } from '../publishing/channel-history.ts';
import { ChannelStreams } from '../publishing/channel-streams.ts';
import type { PublishPipeline } from '../publishing/pipeline.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { closeChannelLocally } from '../realtime/channel-closer.ts';
import type { Reconciler } from '../realtime/reconciler.ts';
import type { RevocationEnforcer } from '../realtime/revocation-enforcer.ts';
import type { SubscriberCounter } from '../realtime/subscriber-counter.ts';
import type { SchemaBroadcast } from '../schemas/broadcast.ts';
import type { SchemaRegistry } from '../schemas/registry.ts';
import type { ClusterBus, ClusterEvents, Stores } from '../stores/contract.ts';
import { composeApi } from './districts/api.ts';
import { type Audited, composeAudit } from './districts/audit.ts';
import { composeAuth } from './districts/auth.ts';
import { type Base, type LateParts, lateParts } from './districts/base.ts';
import { composeChannels } from './districts/channels.ts';
import { type Connections, composeConnections } from './districts/connections.ts';
import { composeLive, type Live } from './districts/live.ts';
import { composeNodes, type Nodes } from './districts/nodes.ts';
import { composePublishing } from './districts/publishing.ts';
import { composeRealtime } from './districts/realtime.ts';
import { composeWatcher } from './districts/watcher.ts';
import { jobEnd } from './job-end.ts';
import type { MsgOptions } from './options.ts';
import type { Resources } from './resources.ts';
import { type RunningConfiguration, runningConfiguration } from './running-configuration.ts';

/** The parts of one service that does not run yet. */
export interface Service extends Notify, Audited, Nodes, Live, Connections {
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Where metrics read the outbox, once it is opened. */
  readonly outbox: OutboxSource;
  readonly keyring: Keyring;
  readonly apiKeys: ApiKeys;
  readonly verifier: TokenVerifier;
  readonly keyUsage: KeyUsage;
  readonly accessIssuer: AccessIssuer;
  readonly management: ManagementIssuer;
  readonly rotation: RefreshRotation;
  readonly revocations: Revocations;
  readonly channels: ChannelManager;
  readonly directory: ChannelDirectory;
  /** Options of channels by their patterns. */
  readonly rules: ChannelOptionRules;
  readonly privateChannels: PrivateChannels;
  readonly access: AccessControl;
  readonly limits: RateLimits;
  readonly node: RealtimeNode;
  readonly pipeline: PublishPipeline;
  readonly appendStreams: AppendStreams;
  readonly streams: ChannelStreams;
  readonly history: ChannelHistory;
  readonly configuration: RunningConfiguration;
  readonly subscribers: SubscriberCounter;
  readonly publishOrSink: PublishOrSink;
  readonly revocationEnforcer: RevocationEnforcer;
  /** Runs the commands of the HTTP API. */
  readonly api: CommandRunner;
  readonly apiSettings: ApiSettings;
  readonly watcher: KeyringWatcher;
  readonly reconciler: Reconciler;
  readonly schemas: SchemaRegistry;
  readonly schemaBroadcast: SchemaBroadcast;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing;
  /** The cluster bus; absent for a single node. */
  readonly clusterBus?: ClusterBus;
  /** The stores, which `disposeResources` closes. */
  readonly stores: Stores;
  /** The handlers of other nodes' events. */
  readonly clusterEvents: ClusterEvents;
  /** Reports a failure that no caller gets. */
  readonly onError: (error: unknown) => void;
}

/** Makes the parts of a service, a district at a time, without starting them. */
export function compose(options: MsgOptions, resources: Resources): Service {
  const base = composeBase(options, resources);
  const { clusterBus } = base.stores;
  // Parts that call each other are connected here; none is called before all exist.
  const late = lateParts({
    node: () => realtime.node,
    pipeline: () => publishing.pipeline,
    metrics: () => metrics,
    sinks: () => notify.sinks,
    subscribers: () => realtime.subscribers,
    audit: () => audited.audit,
    feeds: () => live.ownFeeds,
  });
  const auth = composeAuth(base, late);
  const rooms = composeChannels(base, late, auth);
  const publishing = composePublishing(base, late, rooms);
  const realtime = composeRealtime(base, auth, rooms, publishing);
  const watcher = composeWatcher(base, late);
  const notify = composeNotify(options, notifyParts(base, late));
  const audited = composeAudit(base, late, rooms, realtime);
  const api = composeApi(base, auth, rooms, publishing, realtime, audited);
  const nodes = composeNodes(base, late, realtime, { watcher, api: api.api });
  const lookedAt = { ...auth, ...rooms, ...publishing, ...realtime, ...notify, ...audited, ...nodes };
  const live = composeLive(base, late, lookedAt);
  const connections = composeConnections(base, late, auth, rooms, realtime);
  const made = { ...base, ...lookedAt, ...api, ...live, ...connections, watcher };
  const outbox = new OutboxSource();
  const metrics = composeMetrics({ ...made, clusterBus, outbox, commands: base.stores.commands }, options);
  const service = {
    ...made,
    configuration: runningConfiguration(options),
    metrics,
    outbox,
    streams: new ChannelStreams(made),
    history: new ChannelHistory(made),
    publishOrSink: new PublishOrSink(made),
    ...defined({ clusterBus }),
  };
  observeKeys(service);
  return { ...service, clusterEvents: clusterEventsOf(service) };
}

/** The input of the deliveries outside channels. */
function notifyParts(base: Base, late: LateParts): NotifyParts {
  const { options, stores, onError } = base;
  return {
    ...base,
    queue: options.dlq ?? stores.deadLetters,
    nodeId: () => late.node.id,
    ...defined({ jobs: stores.redriveJobs }),
    late,
    onJobEnded(job) {
      late.metrics.jobEnded(job.state);
      late.audit.note(jobEnd(job)).catch(onError);
    },
  };
}

function composeMetrics(
  observed: ObservedParts & Pick<Base, 'version'>,
  { region = '', processMetrics = true }: MsgOptions,
): Metrics {
  const { version } = observed;
  return new Metrics(readSources(observed), { version, region, process: processMetrics });
}

/** A change of keys, or a revocation, ends what it no longer allows. */
function observeKeys({
  revocations,
  keyring,
  revocationEnforcer,
  metrics,
}: Pick<Service, 'revocations' | 'keyring' | 'revocationEnforcer' | 'metrics'>): void {
  revocations.onRevoked(() => void revocationEnforcer.schedule());
  keyring.onChange(() => void revocationEnforcer.schedule());
  keyring.onRotation(action => metrics.keyChanged(action));
}

function composeBase(options: MsgOptions, { keyring, apiKeys, stores, tracing, thread }: Resources): Base {
  const plainLogger = options.logger ?? silentLogger;
  const logger = tracing === undefined ? plainLogger : tracedLogger(plainLogger, tracing);
  return {
    options,
    version: options.version ?? VERSION,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger,
    ...defined({ tracing, thread }),
    keyring,
    apiKeys,
    stores,
    onError: error => logger.error(errorFields(error), 'internal failure'),
  };
}

/** The handlers for changes by other nodes. */
function clusterEventsOf(service: Omit<Service, 'clusterEvents'>): ClusterEvents {
  const { channels, directory, node, stores, watcher, schemas, apiKeys, reconciler, logger, onError } =
    service;
  const { revocationEnforcer } = service;
  return {
    onChannelChanged(event) {
      channels.onLifecycleEvent(event);
      if (event.kind === 'deleted') closeChannelLocally(node, stores.registry, event.name).catch(onError);
    },
    onKeyringChanged: () => watcher.poll().catch(onError),
    onSchemasChanged: () => schemas.refresh().catch(onError),
    onApiKeysChanged: () => apiKeys.refresh().catch(onError),
    onRevoked: () => revocationEnforcer.schedule(),
    onSweeping: () => channels.noteSubscribed(),
    onReconnected() {
      logger.info({}, 'connected to the other nodes again');
      directory.forget();
      void reconciler.reconcile();
      watcher.poll().catch(onError);
      schemas.refresh().catch(onError);
      apiKeys.refresh().catch(onError);
    },
  };
}
