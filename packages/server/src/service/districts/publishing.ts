import { defined } from '@msg/foundation/json';
import { ChannelOptionRules } from '../../channels/channel-options.ts';
import { PublishPipeline } from '../../publishing/pipeline.ts';
import { ClientLimits } from '../../rate-limits/client-limits.ts';
import { RateLimits } from '../../rate-limits/rate-limits.ts';
import { SchemaBroadcast } from '../../schemas/broadcast.ts';
import { SchemaRegistry } from '../../schemas/registry.ts';
import { SchemaValidator } from '../../schemas/validation.ts';
import { channelRules } from '../channel-rules.ts';
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
}

export function composePublishing(base: Base, late: LateParts, { channels, access }: Channels): Publishing {
  const { options, clock, stores, logger, tracing, onError } = base;
  const limits = new RateLimits({
    limiter: stores.limiter,
    limits: options.rateLimits ?? {},
    onDecision: (bucket, outcome) => late.metrics.limited(bucket, outcome),
  });
  const clientLimits = new ClientLimits(limits);
  const rules = new ChannelOptionRules(channelRules(options));
  const schemas = new SchemaRegistry(stores.schemas, clock);
  const pipeline = new PublishPipeline({
    node: () => late.node,
    schemas: new SchemaValidator(schemas, options.schemaValidation ?? [], logger),
    channels,
    access,
    limits,
    clientLimits,
    options: rules,
    clock,
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
  return { limits, clientLimits, rules, schemas, schemaBroadcast, pipeline };
}
