import { defined } from '@msg/foundation/json';
import { AppendStreams } from '../../append/append-streams.ts';
import { AppendCounts } from '../../append/counts.ts';
import { AppendSinks } from '../../append/or-sink.ts';
import { AppendSeats } from '../../append/waits.ts';
import type { ChannelOptionRules } from '../../channels/channel-options.ts';
import { OutboxVersions } from '../../publishing/outbox-versions.ts';
import { PublishPipeline } from '../../publishing/pipeline.ts';
import { ClientLimits } from '../../rate-limits/client-limits.ts';
import { RateLimits } from '../../rate-limits/rate-limits.ts';
import { SchemaBroadcast } from '../../schemas/broadcast.ts';
import { SchemaRegistry } from '../../schemas/registry.ts';
import { SchemaValidator } from '../../schemas/validation.ts';
import type { Base, LateParts } from './base.ts';
import type { Channels } from './channels.ts';

/** Publishing: rate limits, channel options, schemas, the pipeline. */
export interface Publishing {
  readonly limits: RateLimits;
  readonly clientLimits: ClientLimits;
  readonly rules: ChannelOptionRules;
  readonly schemas: SchemaRegistry;
  readonly schemaBroadcast: SchemaBroadcast;
  readonly pipeline: PublishPipeline;
  readonly outboxVersions: OutboxVersions;
  readonly appendStreams: AppendStreams;
  readonly appendCounts: AppendCounts;
}

export function composePublishing(
  base: Base,
  late: LateParts,
  { channels, access, rules }: Channels,
): Publishing {
  const { options, clock, stores, logger, tracing, onError } = base;
  const limits = new RateLimits({
    limiter: stores.limiter,
    limits: options.rateLimits ?? {},
    onDecision: (bucket, outcome) => late.metrics.limited(bucket, outcome),
  });
  const clientLimits = new ClientLimits(limits);
  const schemas = new SchemaRegistry(stores.schemas, clock);
  const validator = new SchemaValidator(schemas, options.schemaValidation ?? [], logger);
  const outboxVersions = new OutboxVersions();
  const pipeline = new PublishPipeline({
    node: () => late.node,
    schemas: validator,
    channels,
    access,
    limits,
    clientLimits,
    options: rules,
    clock,
    outboxVersions,
    // A thread whose streams are in the memory of main: the ring to main keeps the order, and main answers at once.
    sendsInOrder: stores.clusterBus?.joinsProcesses === false,
    ...defined({ tracing }),
    onEnd: (name, ok, seconds) => late.metrics.published(name, ok, seconds),
    onError,
  });
  const schemaBroadcast = new SchemaBroadcast({
    registry: schemas,
    open: (channel, ttlMs) => channels.openPublic(channel, ttlMs),
    publish: async (channel, data) => pipeline.publish(channel, data),
    logger,
  });
  const appendCounts = new AppendCounts();
  const appendStreams = new AppendStreams({
    node: () => late.node,
    channels,
    rules,
    limits,
    schemas: validator,
    sinks: new AppendSinks({
      node: () => late.node,
      sinks: () => late.sinks,
      subscribers: () => late.subscribers,
      onError,
    }),
    counts: appendCounts,
    seats: new AppendSeats(stores.engine?.bounds?.counts),
    clock,
    onError,
  });
  channels.follow(({ name }) => appendStreams.lookAgain(name));
  return {
    ...{ limits, clientLimits, rules, schemas, schemaBroadcast },
    ...{ pipeline, outboxVersions, appendCounts, appendStreams },
  };
}
