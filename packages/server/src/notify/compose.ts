import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { Logger } from '../observability/logger.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import type { MsgOptions } from '../service/options.ts';
import type { DeadLetterQueue } from './dead-letters/contract.ts';
import { DeadLetters } from './dead-letters/dead-letters.ts';
import { InFlightDeliveries } from './sinks/in-flight.ts';
import { SinkRegistry } from './sinks/registry.ts';
import type { DeliveryObserver } from './sinks/retrying.ts';

/** The parts that deliver outside the channels. */
export interface Notify {
  readonly outbound: InFlightDeliveries;
  readonly sinks: SinkRegistry;
  readonly deadLetters: DeadLetters;
}

export interface NotifyParts {
  readonly queue: DeadLetterQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracing?: Tracing;
  readonly onAttempt: DeliveryObserver['attempted'];
  readonly onError: (error: unknown) => void;
}

/** Puts sinks, retry and dead letters together. @throws MsgError MSG_SINK_CONFIG_INVALID for a bad sink name. */
export function composeNotify(options: MsgOptions, parts: NotifyParts): Notify {
  const { queue, clock, random, logger, tracing, onAttempt, onError } = parts;
  const outbound = new InFlightDeliveries(clock);
  const sinks = new SinkRegistry({
    retry: options.sinkRetry ?? {},
    clock,
    random,
    outbound,
    deadLetters: queue,
    ...defined({ tracing }),
    observer: {
      attempted: onAttempt,
      // What the other side said may name people: it is read with `dlq list`, not in logs.
      parked: (sink, id, attempts) => logger.warn({ sink, id, attempts }, 'delivery parked as a dead letter'),
    },
  });
  for (const sink of options.sinks ?? []) sinks.register(sink);
  return { outbound, sinks, deadLetters: new DeadLetters({ queue, sinks, outbound, clock, onError }) };
}
