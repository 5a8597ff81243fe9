import type { RealtimeNode } from '@msg/engine';
import { type Clock, type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { ApiSettings } from '../api/options.ts';
import type { CommandRunner } from '../api/runner.ts';
import type { AccessControl } from '../auth/access/access-control.ts';
import type { ApiKeys } from '../auth/api-keys/api-keys.ts';
import { ApiKeyChanges } from '../auth/api-keys/changes.ts';
import type { Keyring } from '../auth/keys/keyring.ts';
import { DEFAULT_KEYRING_POLL_MS, KeyringWatcher } from '../auth/keys/watcher.ts';
import type { AccessIssuer } from '../auth/tokens/access-issuer.ts';
import type { ManagementIssuer } from '../auth/tokens/management.ts';
import type { RefreshRotation } from '../auth/tokens/refresh/rotation.ts';
import type { Revocations } from '../auth/tokens/revocation/revocations.ts';
import type { TokenVerifier } from '../auth/tokens/verifier.ts';
import type { ChannelManager } from '../channels/manager.ts';
import type { PrivateChannels } from '../channels/private-channels.ts';
import { VERSION } from '../config/version.ts';
import { composeNotify, type Notify } from '../notify/compose.ts';
import { PublishOrSink } from '../notify/sinks/publish-or-sink.ts';
import { errorFields, type Logger, silentLogger } from '../observability/logger.ts';
import { Metrics } from '../observability/metrics.ts';
import { readSources } from '../observability/sources.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import { tracedLogger } from '../observability/tracing/traced-logger.ts';
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
import { composeAuth } from './districts/auth.ts';
import type { Base, LateParts } from './districts/base.ts';
import { composeChannels } from './districts/channels.ts';
import { composePublishing } from './districts/publishing.ts';
import { composeRealtime } from './districts/realtime.ts';
import type { MsgOptions } from './options.ts';
import type { Resources } from './resources.ts';

/** The parts of one service that does not run yet. */
export interface Service extends Notify {
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly keyring: Keyring;
  readonly apiKeys: ApiKeys;
  readonly apiKeyChanges: ApiKeyChanges;
  readonly verifier: TokenVerifier;
  readonly accessIssuer: AccessIssuer;
  readonly management: ManagementIssuer;
  readonly rotation: RefreshRotation;
  readonly revocations: Revocations;
  readonly channels: ChannelManager;
  readonly privateChannels: PrivateChannels;
  readonly access: AccessControl;
  readonly limits: RateLimits;
  readonly node: RealtimeNode;
  readonly pipeline: PublishPipeline;
  readonly streams: ChannelStreams;
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
  const { keyring, stores } = base;
  const { clusterBus } = stores;
  // Parts that call each other are connected here; none is called before all exist.
  const late: LateParts = {
    get node() {
      return realtime.node;
    },
    get pipeline() {
      return publishing.pipeline;
    },
    get metrics() {
      return metrics;
    },
  };
  const auth = composeAuth(base, late);
  const rooms = composeChannels(base, late, auth);
  const publishing = composePublishing(base, late, rooms);
  const realtime = composeRealtime(base, auth, rooms, publishing);
  const watcher = composeWatcher(base, late);
  const notify = composeNotify(options, {
    ...base,
    queue: options.dlq ?? stores.deadLetters,
    onAttempt: (sink, ok, seconds) => metrics.sinkAttempted(sink, ok, seconds),
  });
  const { pipeline } = publishing;
  const { subscribers, revocationEnforcer } = realtime;
  const { api, apiSettings } = composeApi(base, auth, rooms, publishing, realtime);
  const observed = { ...base, ...rooms, ...realtime, ...notify, watcher, clusterBus, api };
  const metrics = new Metrics(readSources({ ...observed, commands: stores.commands }), {
    version: base.version,
    region: options.region ?? '',
  });
  auth.revocations.onRevoked(() => revocationEnforcer.schedule());
  keyring.onChange(() => revocationEnforcer.schedule());
  keyring.onRotation(action => metrics.keyChanged(action));
  const service = {
    ...base,
    ...auth,
    ...rooms,
    ...publishing,
    ...realtime,
    ...notify,
    metrics,
    api,
    apiSettings,
    apiKeyChanges: new ApiKeyChanges({ keys: base.apiKeys, clock: base.clock, random: base.random }),
    watcher,
    streams: new ChannelStreams({ ...rooms, ...publishing, ...realtime }),
    publishOrSink: new PublishOrSink({ subscribers, pipeline, sinks: notify.sinks }),
    ...defined({ clusterBus }),
  };
  return { ...service, clusterEvents: clusterEventsOf(service) };
}

function composeBase(options: MsgOptions, { keyring, apiKeys, stores, tracing }: Resources): Base {
  const plainLogger = options.logger ?? silentLogger;
  const logger = tracing === undefined ? plainLogger : tracedLogger(plainLogger, tracing);
  return {
    options,
    version: options.version ?? VERSION,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger,
    ...defined({ tracing }),
    keyring,
    apiKeys,
    stores,
    onError: error => logger.error(errorFields(error), 'internal failure'),
  };
}

function composeWatcher({ options, keyring, clock, logger }: Base, late: LateParts): KeyringWatcher {
  return new KeyringWatcher(keyring, clock, options.keyringPollMs ?? DEFAULT_KEYRING_POLL_MS, {
    onReloaded: () => logger.info({ active_key_id: keyring.active.id }, 'keyring reloaded'),
    onFailed(error) {
      late.metrics.reconcileFailed();
      logger.warn(errorFields(error), 'keyring could not be reloaded, the old one stays');
    },
  });
}

/** The handlers for changes by other nodes. */
function clusterEventsOf(service: Omit<Service, 'clusterEvents'>): ClusterEvents {
  const { channels, node, stores, watcher, schemas, apiKeys, reconciler, logger, onError } = service;
  return {
    channelChanged(event) {
      channels.heard(event);
      if (event.kind === 'deleted') closeChannelLocally(node, stores.registry, event.name).catch(onError);
    },
    keyringChanged: () => void watcher.look().catch(onError),
    schemasChanged: () => void schemas.refresh().catch(onError),
    reconnected() {
      logger.info({}, 'connected to the other nodes again');
      void reconciler.reconcile();
      watcher.look().catch(onError);
      schemas.refresh().catch(onError);
      apiKeys.refresh().catch(onError);
    },
  };
}
