import { RealtimeNode } from '@msg/engine';
import { type Clock, type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { AccessControl } from '../auth/access/access-control.ts';
import { AuthorizerGuard } from '../auth/access/custom-authorizer.ts';
import type { Keyring } from '../auth/keys/keyring.ts';
import { DEFAULT_KEYRING_POLL_MS, KeyringWatcher } from '../auth/keys/watcher.ts';
import { bootCutoffs } from '../auth/tokens/boot-cutoff.ts';
import { DEFAULT_ACCESS_TTL_MS, MAX_REFRESH_TTL_MS, PairIssuer } from '../auth/tokens/issuer.ts';
import { ManagementIssuer } from '../auth/tokens/management.ts';
import { RefreshRotation } from '../auth/tokens/refresh/rotation.ts';
import { Revocations } from '../auth/tokens/revocation/revocations.ts';
import { TokenSigner } from '../auth/tokens/signer.ts';
import { TokenVerifier } from '../auth/tokens/verifier.ts';
import { ChannelOptionRules } from '../channels/channel-options.ts';
import { DeclaredChannels } from '../channels/declared.ts';
import { ChannelManager } from '../channels/manager.ts';
import { PrivateChannels } from '../channels/private-channels.ts';
import { VERSION } from '../config/version.ts';
import { composeNotify, type Notify } from '../notify/compose.ts';
import { PublishOrSink } from '../notify/sinks/publish-or-sink.ts';
import { errorFields, type Logger, silentLogger } from '../observability/logger.ts';
import { Metrics } from '../observability/metrics.ts';
import { readSources } from '../observability/sources.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import { tracedLogger } from '../observability/tracing/traced-logger.ts';
import { PublishPipeline } from '../publishing/pipeline.ts';
import { ClientLimits } from '../rate-limits/client-limits.ts';
import { RateLimits } from '../rate-limits/rate-limits.ts';
import { closeChannel, closeChannelLocally } from '../realtime/channel-closer.ts';
import { RealtimePolicy } from '../realtime/policy.ts';
import { Reconciler } from '../realtime/reconciler.ts';
import { RevocationEnforcer } from '../realtime/revocation-enforcer.ts';
import { answerSurvey, SubscriberCounter } from '../realtime/subscriber-counter.ts';
import { SchemaBroadcast } from '../schemas/broadcast.ts';
import { SchemaRegistry } from '../schemas/registry.ts';
import { SchemaValidator } from '../schemas/validation.ts';
import type { ClusterBus, ClusterEvents, MeasuredStores, Stores } from '../stores/contract.ts';
import { channelRules, type MsgOptions } from './options.ts';

/** The parts of one service, put together and at rest. */
export interface Service extends Notify {
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly keyring: Keyring;
  readonly verifier: TokenVerifier;
  readonly management: ManagementIssuer;
  readonly rotation: RefreshRotation;
  readonly revocations: Revocations;
  readonly channels: ChannelManager;
  readonly privateChannels: PrivateChannels;
  readonly access: AccessControl;
  readonly limits: RateLimits;
  readonly node: RealtimeNode;
  readonly pipeline: PublishPipeline;
  readonly subscribers: SubscriberCounter;
  readonly publishOrSink: PublishOrSink;
  readonly live: RevocationEnforcer;
  readonly watcher: KeyringWatcher;
  readonly reconciler: Reconciler;
  readonly schemas: SchemaRegistry;
  readonly schemaBroadcast: SchemaBroadcast;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing;
  /** The other nodes; absent when this one is alone. */
  readonly clusterBus?: ClusterBus;
  /** What {@link release} closes. */
  readonly stores: Stores;
  /** What to do about what the other nodes tell. */
  readonly news: ClusterEvents;
  /** Reports a failure that no caller gets. */
  readonly onError: (error: unknown) => void;
}

/** Puts a service together. Nothing runs yet; only the keyring has been opened. */
export function compose(
  options: MsgOptions,
  keyring: Keyring,
  stores: MeasuredStores,
  tracing: Tracing | undefined,
): Service {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const plainLogger = options.logger ?? silentLogger;
  const logger = tracing === undefined ? plainLogger : tracedLogger(plainLogger, tracing);
  const version = options.version ?? VERSION;
  const onError = (error: unknown) => logger.error(errorFields(error), 'internal failure');

  const { registry, clusterBus } = stores;
  const revocationStore = options.revocationStore === 'auto' ? stores.revocations : options.revocationStore;
  const redemptions = options.refreshStore ?? stores.redemptions;

  // Parts that call each other meet in closures: nothing is called before all of them exist.
  const verifier = new TokenVerifier({
    keyring,
    clock,
    random,
    cutoffs: bootCutoffs(revocationStore, redemptions, clock.now()),
    onVerified: (type, ok) => metrics.verified(type, ok),
  });
  const signer = new TokenSigner(keyring, random);
  const issuer = new PairIssuer({
    signer,
    clock,
    accessTtlMs: options.accessTokenTtlMs ?? DEFAULT_ACCESS_TTL_MS,
    maxRefreshTtlMs: options.maxRefreshTokenTtlMs ?? MAX_REFRESH_TTL_MS,
  });
  const revocations = new Revocations(revocationStore, clock);
  const isRevoked = revocations.isRevoked.bind(revocations);
  const limits = new RateLimits({
    limiter: stores.limiter,
    limits: options.rateLimits ?? {},
    onDecision: (bucket, allowed) => metrics.limited(bucket, allowed),
  });
  const channels = new ChannelManager({
    registry,
    clock,
    declared: new DeclaredChannels(options.channels?.open),
    ...defined({
      subscribedChannels:
        options.channels?.keepOpenWhileSubscribed === true ? () => node.channels() : undefined,
    }),
    onDeleted: name => closeChannel(node, name),
    onError,
  });
  const access = new AccessControl({
    channels,
    verifier,
    isRevoked,
    tokens: options.tokens ?? true,
    ...defined({
      custom:
        options.authorizer === undefined
          ? undefined
          : new AuthorizerGuard({
              authorize: options.authorizer,
              clock,
              onAnswer: outcome => metrics.authorized(outcome),
              onError,
            }),
    }),
  });
  const rules = new ChannelOptionRules(channelRules(options));
  const schemas = new SchemaRegistry(stores.schemas, clock);
  const validator = new SchemaValidator(schemas, options.schemaValidation ?? [], logger);
  const clientLimits = new ClientLimits(limits);
  const policy = new RealtimePolicy({
    publishing: () => pipeline,
    channels,
    verifier,
    access,
    options: rules,
    limits: clientLimits,
    ...defined({ clientRpc: options.clientRpc }),
    onError,
  });
  const node: RealtimeNode = new RealtimeNode({
    policy,
    version,
    clock,
    random,
    limits: options.limits ?? {},
    onBodyRewritten: () =>
      logger.warn(
        {},
        'a parser read a request body before msg; its JSON is written back, forms of numbers may change',
      ),
    onError,
    ...stores.engine,
    survey: (operation, data) => answerSurvey(node, operation, data),
  });
  const subscribers = new SubscriberCounter(node, channels);
  const live = new RevocationEnforcer({ node, verifier, isRevoked, clock, onError });
  const watcher = new KeyringWatcher(keyring, clock, options.keyringPollMs ?? DEFAULT_KEYRING_POLL_MS, {
    onReloaded: () => logger.info({ active_key_id: keyring.active.id }, 'keyring reloaded'),
    onFailed(error) {
      metrics.reconcileFailed();
      logger.warn(errorFields(error), 'keyring could not be reloaded, the old one stays');
    },
  });
  const pipeline = new PublishPipeline({
    node: () => node,
    schemas: validator,
    channels,
    access,
    limits,
    clientLimits,
    options: rules,
    clock,
    ...defined({ tracing }),
    onEnd: (name, ok, seconds) => metrics.published(name, ok, seconds),
    onError,
  });
  const schemaBroadcast = new SchemaBroadcast({
    registry: schemas,
    open: (channel, ttlMs) => channels.openPublic(channel, ttlMs),
    publish: async (channel, data) => pipeline.publish(channel, data),
    logger,
  });
  const reconciler = new Reconciler({ node, registry, live, onError });
  const outOfBand = composeNotify(options, {
    queue: options.dlq ?? stores.deadLetters,
    clock,
    random,
    logger,
    ...defined({ tracing }),
    onAttempt: (sink, ok, seconds) => metrics.sinkAttempted(sink, ok, seconds),
    onError,
  });
  const { deadLetters, sinks } = outOfBand;
  const metrics = new Metrics(
    readSources({
      clock,
      keyring,
      watcher,
      channels,
      deadLetters,
      node,
      clusterBus,
      commands: stores.commands,
    }),
    {
      version,
      region: options.region ?? '',
    },
  );

  revocations.onRevoked(() => live.schedule());
  keyring.onChange(() => live.schedule());
  keyring.onRotation(action => metrics.keyChanged(action));
  return {
    version,
    clock,
    random,
    logger,
    metrics,
    keyring,
    verifier,
    management: new ManagementIssuer(signer, clock),
    rotation: new RefreshRotation({
      channels,
      verifier,
      issuer,
      store: redemptions,
      isRevoked,
      clock,
      onOutcome: outcome => metrics.refreshed(outcome),
    }),
    revocations,
    channels,
    privateChannels: new PrivateChannels(channels, issuer),
    access,
    limits,
    node,
    pipeline,
    subscribers,
    ...outOfBand,
    publishOrSink: new PublishOrSink({ subscribers, pipeline, sinks }),
    live,
    watcher,
    reconciler,
    schemas,
    schemaBroadcast,
    stores,
    ...defined({ clusterBus, tracing }),
    news: {
      channelChanged(event) {
        channels.heard(event);
        if (event.kind === 'deleted') closeChannelLocally(node, registry, event.name).catch(onError);
      },
      keyringChanged: () => void watcher.look().catch(onError),
      schemasChanged: () => void schemas.refresh().catch(onError),
      reconnected() {
        logger.info({}, 'connected to the other nodes again');
        void reconciler.reconcile();
        watcher.look().catch(onError);
        schemas.refresh().catch(onError);
      },
    },
    onError,
  };
}
