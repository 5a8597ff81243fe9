import type { Clock, Random } from '@msg/engine';
import type { DeadLetterQueue } from './dead-letters/contract.ts';
import { DeadLetters } from './dead-letters/dead-letters.ts';
import type { Logger } from './observability/logger.ts';
import type { Tracing } from './observability/tracing/contract.ts';
import type { MsgOptions } from './options.ts';
import { Outbound } from './sinks/outbound.ts';
import { SinkRegistry } from './sinks/registry.ts';
import type { DeliveryObserver } from './sinks/retrying.ts';

/** The parts that deliver outside the channels. */
export interface OutOfBand {
  readonly outbound: Outbound;
  readonly sinks: SinkRegistry;
  readonly deadLetters: DeadLetters;
}

export interface OutOfBandParts {
  readonly queue: DeadLetterQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracing?: Tracing;
  readonly onAttempt: DeliveryObserver['attempted'];
  readonly onError: (error: unknown) => void;
}

/** Puts sinks, retry and dead letters together. @throws MsgError MSG_SINK_CONFIG_INVALID for a bad sink name. */
export function composeOutOfBand(options: MsgOptions, parts: OutOfBandParts): OutOfBand {
  const { queue, clock, random, logger, tracing, onAttempt, onError } = parts;
  const outbound = new Outbound(clock);
  const sinks = new SinkRegistry({
    retry: options.sinkRetry ?? {},
    clock,
    random,
    outbound,
    deadLetters: queue,
    ...(tracing === undefined ? {} : { tracing }),
    observer: {
      attempted: onAttempt,
      // What the other side said may name people: it is read with `dlq list`, not in logs.
      parked: (sink, id, attempts) => logger.warn({ sink, id, attempts }, 'delivery parked as a dead letter'),
    },
  });
  for (const sink of options.sinks ?? []) sinks.register(sink);
  return { outbound, sinks, deadLetters: new DeadLetters({ queue, sinks, outbound, clock, onError }) };
}
